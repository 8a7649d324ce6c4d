#ifndef CORE_JUDGE_TIMING_CLOSER_LOOK_H
#define CORE_JUDGE_TIMING_CLOSER_LOOK_H

#include "core/judge/evaluation.h"

/*
 * A closer look at a candidate that is faster than the graph's bound. Algebra that saves operations
 * is legitimate, but a candidate that omits work or reports a false time looks the same. So the
 * judge runs it in further rounds. In every round it verifies one run, drawn at random, against
 * expected outputs that are computed for this run. Runs with and without the launches alternate, so
 * that the judge's own clock measures the time of the launches.
 */
struct closer_look {
    const struct inspection *inspection; /* the inspection of the loaded candidate, as for timing */
    const struct estimate *time;         /* what the device reports */
};

/*
 * Take the look, for a candidate that is faster than the bound. Concludes the evaluation's verdict
 * if a run is wrong, or if the clocks do not agree in three looks. A failure of the executor may be
 * the candidate's (evaluation_absorb()).
 */
enum status closer_look_take(struct evaluation *evaluation, const struct closer_look *look,
                             struct error *err) MUST_CHECK;

/* A run of a look: its time by the judge's clock, and the time that the device reports. */
struct closer_look_run {
    double wall_us, reported_us;
};

enum { CLOSER_LOOK_MAX_RUNS = 144 };

/*
 * The time, in us, by which runs with launches exceed 1.5 times what the device reports for them
 * and the time of runs without launches. Another program that delays a run also delays its report,
 * so it adds little. There are `count` runs of each kind, at least one.
 */
double closer_look_beyond_us(const struct closer_look_run *with,
                             const struct closer_look_run *without, size_t count);

#endif
