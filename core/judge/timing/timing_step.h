#ifndef CORE_JUDGE_TIMING_TIMING_STEP_H
#define CORE_JUDGE_TIMING_TIMING_STEP_H

#include "core/judge/baselines.h"
#include "core/judge/device_turns.h"

/*
 * The step of an evaluation that times a verified candidate in turn with its rivals and the
 * baselines, then checks what the timed runs computed, and takes a closer look if the time is below
 * the bound. It begins in a turn for DEVICE_TIMED; other judges may use a GPU while the CPU checks.
 */
struct timing_step {
    struct baselines_scene scene;
    struct baselines *baselines;
    const struct turn_taker *turns;
    int64_t began_us; /* when the evaluation began */
};

/*
 * Rivals of a candidate may be in other languages: have the executor start with what they need
 * (executor_expect()). NULL: none.
 */
void timing_step_expect(struct executor *executor, const struct candidate *best,
                        const struct candidate *first);

/*
 * Concludes the verdict of a candidate that is wrong or suspect; otherwise stores times and ratios.
 */
enum status timing_step_take(const struct timing_step *step, struct evaluation *evaluation,
                             struct error *err) MUST_CHECK;

#endif
