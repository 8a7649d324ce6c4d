#ifndef CORE_JUDGE_SAMPLED_RUN_H
#define CORE_JUDGE_SAMPLED_RUN_H

#include "core/judge/inspect.h"

enum { SAMPLED_RUNS_MAX = 16 };

/*
 * The outputs of sampled runs that are kept at a time, in bytes, in memory and where they can rest
 * on the disk (disk_memory.h); those of one run in any case.
 */
enum { SAMPLED_BYTES_MAX = 1 << 25, SAMPLED_DISK_BYTES_MAX = 1 << 29 };

/* The outputs of one timed run. */
struct sampled_run {
    uint64_t input_seed;
    void **outputs; /* by tensor of the problem, NULL for one that is no output or not copied */
    size_t count;   /* number of tensors */
    bool rests;     /* the outputs are kept for long, and can rest on the disk */
};

/*
 * Timed runs drawn at random from those in the middle of timing. Their outputs are kept until
 * timing is over and then verified against expected values computed at that moment. The expected
 * values of all such runs cannot be computed in advance, because their number is not known then;
 * and if only some were, a candidate that is wrong in the middle of timing could pass.
 *
 * If the outputs of `wanted` runs are large, only the first `places` are kept. Each later run
 * that is drawn is verified at once. It does not lose its place to a later one, so every run is
 * verified at least as probably, and wanted * (1 + log(seen / wanted)) of them on average. Runs
 * whose outputs stay on the device are all treated so.
 *
 * A candidate that is wrong in the share f of these runs passes with probability (1 - f)^wanted: at
 * most 1 in 65,000 for half of the runs, which it needs to move the median, and 16 runs.
 */
struct sampled_runs {
    struct sampled_run runs[SAMPLED_RUNS_MAX];
    size_t count;
    size_t wanted; /* at most SAMPLED_RUNS_MAX */
    size_t places; /* runs to keep at a time, at most `wanted` */
    size_t seen;   /* number of runs that the sample was drawn from */
};

/*
 * Copy the outputs of the run that `inspection` shows, on data from `input_seed`, in place of those
 * of another run at the same dimensions. They are copied before expected values are computed,
 * because a candidate that still runs could mend them. Those that stay on the device are not: the
 * device oracle copies them before it computes.
 */
void sampled_run_copy(struct sampled_run *run, const struct inspection *inspection,
                      uint64_t input_seed);
void sampled_run_release(struct sampled_run *run);

/* Let the outputs rest on the disk, if they can. */
void sampled_run_rest(const struct sampled_run *run);

/* Begin a sample of `wanted` runs of the program that `inspection` is for. */
struct sampled_runs sampled_runs_make(size_t wanted, const struct inspection *inspection);

/*
 * Take the run into the draw (reservoir sampling). False if it is drawn and there is no room for
 * it: the caller verifies it at once.
 */
bool sampled_runs_consider(struct sampled_runs *sample, const struct inspection *inspection,
                           uint64_t input_seed);

/* Keep `count` runs, drawn at random, of those that are kept, and release the others. */
void sampled_runs_thin(struct sampled_runs *sample, size_t count);
void sampled_runs_release(struct sampled_runs *sample);

#endif
