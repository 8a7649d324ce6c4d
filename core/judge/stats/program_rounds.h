#ifndef CORE_JUDGE_STATS_PROGRAM_ROUNDS_H
#define CORE_JUDGE_STATS_PROGRAM_ROUNDS_H

#include <stdbool.h>

#include "core/system/thread_work.h"

/*
 * The times of a program that is timed in turn with others, by round, and what they would have been
 * on a machine that does nothing else.
 *
 * On a CPU other programs take the cores away: a run of 100 ms is interrupted many times, one of
 * 100 us mostly not at all, so the ratio of two times on the wall clock depends on the load. The
 * CPU time of a run does not (within the effect on caches). On a busy machine the time of a round
 * is therefore computed from CPU times: of all threads, divided by the number of threads that
 * worked, if the program hands work to whichever thread is free, as drivers of OpenCL do; else of
 * the thread that worked most, because the others wait for it. The time on the wall clock is a
 * second upper bound, and the tighter one for very short runs.
 */

/* A run of a program. */
struct run_time {
    double us;               /* on the wall clock, or on that of the device */
    struct thread_work work; /* CPU time of the host's threads; all zeros if unknown, as on a GPU */
};

enum { PROGRAM_ROUNDS_MAX = 200 };

struct program_round {
    size_t round;           /* number of the round in the timing */
    struct run_time median; /* medians over its runs, of each member separately */
};

struct program_rounds {
    struct program_round items[PROGRAM_ROUNDS_MAX];
    size_t count;
    bool shares_work; /* among its threads, while it runs */
};

/* Add the runs of a round, at least one; does nothing when the rounds are full. */
void program_rounds_add(struct program_rounds *rounds, size_t round, const struct run_time *runs,
                        size_t count);

/* The time of the round with index `index`; `is_busy` is true if other programs ran beside it. */
double program_rounds_us(const struct program_rounds *rounds, size_t index, bool is_busy);

/*
 * The pairs of rounds that two programs took part in: their times in `own` and `other`, which have
 * room for PROGRAM_ROUNDS_MAX. Returns their number.
 */
size_t program_rounds_pair(const struct program_rounds *own_rounds,
                           const struct program_rounds *other_rounds, bool is_busy, double *own,
                           double *other);

#endif
