#include "core/judge/batches/timing_batch.h"

#include "core/base/format.h"

static void refuse(struct verdict *verdict, size_t runs, double sum_us, double wall_us)
{
    char reported[FORMAT_SIZE], waited[FORMAT_SIZE];

    verdict_conclude(verdict, OUTCOME_SUSPECT,
                     "the device reports %s for %zu runs, but the judge waited only %s",
                     format_time(reported, sum_us), runs, format_time(waited, wall_us));
}

void timing_batch_check(const struct timing_batch *batch, struct verdict *verdict)
{
    const struct timing_repeats *repeats = &batch->repeats;

    if (batch->has_zero || batch->sum_us > batch->wall_us)
        refuse(verdict, batch->runs, batch->sum_us, batch->wall_us);
    else if (repeats->has_zero || repeats->sum_us > repeats->wall_us)
        refuse(verdict, repeats->count, repeats->sum_us, repeats->wall_us);
}

void timing_batch_keep(const struct timing_batch *batch, size_t round,
                       struct program_rounds *rounds)
{
    program_rounds_add(rounds, round, batch->times, batch->count);
    program_rounds_add_repeats(rounds, batch->repeats.times, batch->repeats.count);
}
