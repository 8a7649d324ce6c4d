#ifndef CORE_JUDGE_BATCHES_TIMING_REPEATS_H
#define CORE_JUDGE_BATCHES_TIMING_REPEATS_H

#include "core/judge/executor/executor.h"
#include "core/judge/stats/program_rounds.h"

/*
 * Runs that are repeated at once on the same inputs. On a machine where other programs run, they
 * empty the caches between the making of a run's data and the run, because making the data takes
 * longer than a turn on a core. A quiet machine's runs find their data in the caches, and so do
 * repeated runs on a busy one, if no other program came in between.
 */

enum { TIMING_REPEATS_MAX = 128 };

struct timing_repeats {
    struct run_time times[TIMING_REPEATS_MAX];
    size_t count;
    double sum_us, wall_us; /* time on the device's clock, and the time that the judge waited */
    bool has_zero;          /* the device reported no time for a run */
};

/* True if runs shall be repeated: other programs disturb a timing that may take `budget_us`. */
bool timing_repeats_are_due(bool is_disturbed, int64_t budget_us);

/*
 * Repeat the last run of a slot, which took `run_us` of CPU time, for a time that is drawn, and add
 * the times. Does nothing if its runs are so long that caches do not matter.
 */
enum status timing_repeats_take(struct executor *executor, unsigned slot, double run_us,
                                struct timing_repeats *repeats, struct error *err) MUST_CHECK;

#endif
