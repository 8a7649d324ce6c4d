#include "core/judge/judge_state.h"

#include "core/judge/roofs/roof_measure.h"

struct evaluation_context judge_context(struct judge *judge)
{
    return (struct evaluation_context){
        .options = &judge->options,
        .executor = judge->executor,
        .problem = &judge->problem,
        .expectations = judge->expectations,
        .device = judge->device,
        .roofs = &judge->roofs,
    };
}

enum status judge_take_turn(struct judge *judge, enum device_work work, struct error *err)
{
    if (work == DEVICE_TIMED)
        bridge_settle(judge->bridge);
    return device_turns_take(&judge->turns, work, &judge->began_us, err);
}

void judge_tell_roofs(const struct judge *judge)
{
    if (judge->options.measured)
        judge->options.measured(judge->options.data, &judge->roofs);
}

void judge_tell_measuring(const struct judge *judge)
{
    static const struct evaluation_progress measuring = {.stage = "measuring roofs"};

    judge->options.progress(judge->options.data, &measuring);
}

enum status judge_raise_roofs(struct judge *judge, struct error *err)
{
    enum status st;

    judge_tell_measuring(judge);
    st = roof_measure_raise(judge->executor, &judge->roofs, err);
    if (!st)
        judge_tell_roofs(judge);
    return st;
}
