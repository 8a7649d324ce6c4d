#ifndef CORE_JUDGE_STATS_PROGRAM_ROUNDS_H
#define CORE_JUDGE_STATS_PROGRAM_ROUNDS_H

#include <stdbool.h>

#include "core/judge/stats/stats.h"
#include "core/system/thread_work.h"

/*
 * The times by round of a program that is timed in turn with others, and estimates of its times on
 * a machine that runs nothing else.
 *
 * On a CPU other programs take the cores away: a run of 100 ms is interrupted many times, a run of
 * 100 us mostly not at all, so the ratio of two wall-clock times depends on the load. The ratio of
 * two CPU times does not, apart from effects on caches. On a busy machine the time of a round is
 * therefore computed from CPU times. If the program hands work to whichever thread is free, as
 * drivers of OpenCL do, it is the share of all threads' CPU time that one core has when all are
 * free. That share follows from the sizes of the launches (core/model/plan/core_share.h), because
 * on a busy machine one thread may do all the work of a run; if they do not tell, it is the least
 * that the longest work had in any run, and no less than the number of threads allows. In C the
 * longest work is the critical path (backends/host/watch.h). If the program does not hand out work
 * in this way, the time is that of the thread that worked most, because the others wait for it.
 * The wall-clock time is an upper bound, and the tighter one for very short runs.
 */

/* A run of a program. */
struct run_time {
    double us;               /* on the wall clock, or on that of the device */
    struct thread_work work; /* CPU time of the host's threads; all zeros if unknown, as on a GPU */
};

enum { PROGRAM_ROUNDS_MAX = 200, PROGRAM_RUNS_MAX = 1024 };

struct program_round {
    size_t round;           /* number of the round in the timing */
    struct run_time median; /* over its runs; of each member apart */
};

/* How other programs disturb a timing. All zeros: they do not. */
struct program_load {
    bool is_disturbed;
    double waited_share; /* share of its time that the executor waited for a core */
};

/* A ring buffer of runs. */
struct program_runs {
    struct run_time items[PROGRAM_RUNS_MAX];
    size_t count; /* ever added */
};

struct program_rounds {
    struct program_round items[PROGRAM_ROUNDS_MAX];
    size_t count;
    struct program_runs fresh, repeated; /* runs on new data, and on the same data again */
    bool shares_work;                    /* among its threads, while it runs */
    bool is_even;       /* its work is known to be divided evenly, as far as sizes tell */
    double core_share;  /* by the sizes of its launches; 0: unknown */
    double least_share; /* the least share of a run's work that its longest thread had; 0: none */
    struct program_load load;
};

/* Begin anew with the same program. */
void program_rounds_clear(struct program_rounds *rounds);

/* Add the runs of a round, at least one; does nothing when the rounds are full. */
void program_rounds_add(struct program_rounds *rounds, size_t round, const struct run_time *runs,
                        size_t count);

/* Add runs that were repeated at once on the same data; there may be none. */
void program_rounds_add_repeats(struct program_rounds *rounds, const struct run_time *runs,
                                size_t count);

/*
 * The time of the round with index `index`; `is_busy` is true if other programs ran at the same
 * time.
 */
double program_rounds_us(const struct program_rounds *rounds, size_t index, bool is_busy);

/* How the work of a run is divided among cores if all are free. */
enum division {
    DIVISION_EXPECTED, /* as the sizes of the launches say, or as evenly as in any run */
    DIVISION_SEEN      /* as in this run */
};

/*
 * The times of the last runs of one kind, at most PROGRAM_RUNS_MAX, on a busy machine in `times`,
 * which has room for them. Returns their number.
 */
size_t program_rounds_times(const struct program_rounds *rounds, const struct program_runs *runs,
                            enum division division, double *times);

/*
 * The factor, at least 1, by which the program may be slower on a quiet machine than its times on a
 * busy one suggest: neither the sizes of launches nor the number of threads determine whether all
 * parts take equally long, and it may be that no run has shown it.
 */
double program_rounds_doubt(const struct program_rounds *rounds);

/*
 * The pairs of rounds that two programs took part in: their times in `own` and `other`, which have
 * room for PROGRAM_ROUNDS_MAX. Returns their number.
 */
size_t program_rounds_pair(const struct program_rounds *own_rounds,
                           const struct program_rounds *other_rounds, bool is_busy, double *own,
                           double *other);

#endif
