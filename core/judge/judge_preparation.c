#include "core/judge/judge_preparation.h"

#include "core/judge/judge_state.h"
#include "core/judge/limits.h"
#include "core/judge/roofs/roof_measure.h"
#include "core/system/clock.h"
#include "core/system/log.h"

/*
 * The maximum number of times that the roofs are measured again because a candidate is faster than
 * they allow but not suspect.
 */
enum { MAX_RAISES = 3 };

/* If roofs that are measured again leave this share of a fraction of the bound, they are right. */
static const double same_roofs = 0.98;

static enum status keep_plain(struct judge *judge, struct error *err)
{
    const struct evaluation_context context = judge_context(judge);
    int64_t began_us = clock_now_us();
    enum status st = baselines_keep_plain(&judge->baselines, &context, err);

    log_long("to keep the plain kernels", began_us);
    return st;
}

/* Measure the roofs, unless another judge does that while this one waits for its turn. */
static enum status measure_roofs(struct judge *judge, struct error *err)
{
    int64_t began_us = clock_now_us();
    enum status st = judge_take_turn(judge, DEVICE_TIMED, err);

    if (st)
        return st;
    (void)roof_measure_recall(judge->device, &judge->roofs);
    if (roof_measure_is_due(&judge->roofs))
        st = judge_raise_roofs(judge, err);
    else
        judge_report_roofs(judge);
    log_long("to measure the roofs", began_us);
    return st;
}

/*
 * The oracle starts last, because it would disturb the measurement of the roofs on the same device
 * or cores.
 */
enum status judge_prepare(struct judge *judge, struct error *err)
{
    int64_t began_us = clock_now_us();
    enum status st = STATUS_OK;

    if (!judge->expectations || judge->is_prepared)
        return STATUS_OK;
    if (roof_measure_is_due(&judge->roofs) && !judge->device->is_untimed)
        st = measure_roofs(judge, err);
    if (!st)
        st = judge_take_turn(judge, DEVICE_RUNS, err);
    if (!st && !judge->device->is_untimed)
        st = keep_plain(judge, err);
    if (!st)
        st = expectations_start(judge->expectations, err);
    device_turns_rest(&judge->turns);
    log_long("to prepare an evaluation", began_us);
    judge->is_prepared = !st;
    return st;
}

/* Open the device, and start its oracle; loading the problem reports if that fails. */
static void open_device(struct judge *judge)
{
    const struct device_info *device;
    struct error later;

    if (executor_device(judge->executor, &device, &later) || judge->next_oracle)
        return;
    judge->next_oracle = judge_new_oracle(judge, device);
    if (judge->next_oracle)
        device_oracle_wake(judge->next_oracle);
}

/* PyTorch is imported meanwhile, which takes longer. */
enum status judge_describe(struct judge *judge, const struct model_source *source,
                           struct json **problem, struct error *err)
{
    bridge_wake(judge->bridge);
    if (judge->options.executor.device)
        open_device(judge);
    return bridge_describe(judge->bridge, source, problem, err);
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

/*
 * Only a judge that waits for the device needs it free of what is queued. The first call comes
 * after each verdict, often just before the next candidate.
 */
enum status judge_share(struct judge *judge, struct error *err)
{
    enum status st;

    baselines_pause(&judge->baselines, true);
    if (judge_is_awaited(judge))
        baselines_settle(&judge->baselines);
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

enum status judge_find_limits(struct judge *judge, struct verdict *verdict, struct error *err)
{
    const struct evaluation_context context = judge_context(judge);
    const struct limits limits = limits_of(&context);
    double fraction;
    bool suspect;
    enum status st;

    limits_compute(&limits, verdict);
    fraction = verdict->bound.fraction;
    suspect = limits_are_beaten(&limits, verdict);
    if (!suspect &&
        (judge->raises == MAX_RAISES || !limits_bound_is_beaten(&limits, &verdict->timing.time)))
        return STATUS_OK;
    st = judge_raise_roofs(judge, err);
    if (!st)
        limits_compute(&limits, verdict);
    if (!suspect)
        judge->raises =
            verdict->bound.fraction > same_roofs * fraction ? MAX_RAISES : judge->raises + 1;
    return st;
}
