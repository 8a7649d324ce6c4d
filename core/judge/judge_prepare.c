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
    return device_turns_take(&judge->turns, work, &judge->began_us, err);
}

static const struct evaluation_progress measuring = {.stage = "measuring roofs"};

enum status judge_roofs(struct judge *judge, const struct device_info *device,
                        enum roofs_wanted wanted, struct roofs *roofs, struct error *err)
{
    bool is_known = roof_measure_recall(device, roofs);
    struct device_turns turns = {0};
    enum status st;

    if (wanted == ROOFS_KEPT || (wanted == ROOFS_ONCE && is_known))
        return STATUS_OK;
    judge->options.progress(judge->options.data, &measuring);
    device_turns_open(&turns, &judge->options, device);
    st = device_turns_take(&turns, DEVICE_TIMED, &judge->began_us, err);
    if (!st)
        st = roof_measure_device(&judge->options.executor, device->id, roofs, err);
    device_turns_close(&turns);
    return st;
}

enum status judge_raise_roofs(struct judge *judge, struct error *err)
{
    enum status st;

    judge->options.progress(judge->options.data, &measuring);
    st = roof_measure_raise(judge->executor, &judge->roofs, err);
    if (!st && judge->options.measured)
        judge->options.measured(judge->options.data, &judge->roofs);
    return st;
}

static enum status keep_plain(struct judge *judge, struct error *err)
{
    const struct evaluation_context context = judge_context(judge);

    return baselines_keep_plain(&judge->baselines, &context, err);
}

/* The oracle starts last: it would take the device or the cores from the measurement of roofs. */
enum status judge_prepare(struct judge *judge, struct error *err)
{
    enum status st = STATUS_OK;

    if (!judge->expectations || judge->is_prepared)
        return STATUS_OK;
    if (roof_measure_is_due(&judge->roofs)) {
        st = judge_take_turn(judge, DEVICE_TIMED, err);
        if (!st)
            st = judge_raise_roofs(judge, err);
    }
    if (!st)
        st = judge_take_turn(judge, DEVICE_RUNS, err);
    if (!st)
        st = keep_plain(judge, err);
    if (!st)
        st = expectations_start(judge->expectations, err);
    device_turns_rest(&judge->turns);
    judge->is_prepared = !st;
    return st;
}

enum status judge_compile(struct judge *judge, struct error *err)
{
    const struct evaluation_context context = judge_context(judge);

    return judge->is_prepared ? baselines_compile(&judge->baselines, &context, err) : STATUS_OK;
}

bool judge_is_compiling(const struct judge *judge, int *fd)
{
    return baselines_are_compiling(&judge->baselines, fd);
}

enum status judge_share(struct judge *judge, struct error *err)
{
    enum status st;

    baselines_pause(&judge->baselines, true);
    device_turns_rest(&judge->turns);
    st = judge_take_turn(judge, DEVICE_RUNS, err);
    baselines_pause(&judge->baselines, false);
    return st;
}

bool judge_is_awaited(const struct judge *judge)
{
    return device_turns_are_wanted(&judge->turns);
}

void judge_rest(struct judge *judge)
{
    device_turns_rest(&judge->turns);
}

bool judge_expects(const struct judge *judge, struct expectations_progress *progress)
{
    if (judge->is_prepared)
        *progress = expectations_progress(judge->expectations);
    return judge->is_prepared;
}
