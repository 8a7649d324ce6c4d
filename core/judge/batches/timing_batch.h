#ifndef CORE_JUDGE_BATCHES_TIMING_BATCH_H
#define CORE_JUDGE_BATCHES_TIMING_BATCH_H

#include "core/judge/batches/timing_repeats.h"
#include "core/model/verdict.h"

enum { TIMING_BATCH_MAX = 64 };

/*
 * A batch of runs of one program. A warm-up run is not counted: before the first run the other
 * program has left its data in the caches, and after a secret run the judge's checks have.
 */
struct timing_batch {
    struct run_time times[TIMING_BATCH_MAX]; /* times of the runs that count */
    size_t count;
    size_t runs;    /* with those that are not counted */
    double sum_us;  /* time of all runs on the device's clock */
    double wall_us; /* and the time that the judge waited for them */
    double cpu_us;  /* CPU time of the executor on the host's cores */
    bool has_zero;  /* the device reported no time for a run */
    bool has_secret;
    struct timing_repeats repeats; /* while other programs disturb the timing */
};

/* Conclude the verdict if the device reports more time than the judge waited, or none. */
void timing_batch_check(const struct timing_batch *batch, struct verdict *verdict);

/* Add the runs that count to the program's rounds, as round `round`. */
void timing_batch_keep(const struct timing_batch *batch, size_t round,
                       struct program_rounds *rounds);

#endif
