#ifndef CORE_JUDGE_CLOSER_LOOK_H
#define CORE_JUDGE_CLOSER_LOOK_H

#include "core/judge/evaluation.h"
#include "core/judge/limits.h"

/*
 * A closer look at a candidate that is faster than the graph's bound. Algebra that saves operations
 * is legitimate, but a candidate that omits work or reports a false time looks the same. So the
 * judge runs it in further rounds. In every round it verifies one run, drawn at random, against
 * expected outputs that are computed for this run. Runs with and without the launches alternate, so
 * that the judge's own clock measures the time of the launches.
 */
struct closer_look {
    struct limits limits;
    const struct inspection *inspection; /* the inspection of the loaded candidate, as for timing */
    const struct estimate *time;         /* what the device reports */
};

/*
 * Take the look if the candidate is faster than the bound. Concludes the evaluation's verdict if a
 * run is wrong, or if the clocks do not agree in three looks. A failure of the executor may be the
 * candidate's (evaluation_absorb()).
 */
enum status closer_look_take(struct evaluation *evaluation, const struct closer_look *look,
                             struct error *err) MUST_CHECK;

#endif
