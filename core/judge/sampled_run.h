#ifndef CORE_JUDGE_SAMPLED_RUN_H
#define CORE_JUDGE_SAMPLED_RUN_H

#include "core/judge/inspect.h"

enum { SAMPLED_RUNS_MAX = 16 };

/*
 * The maximum size in bytes of the sampled runs' outputs that are kept at a time: in memory, and on
 * the disk (disk_memory.h). The outputs of one run are always kept.
 */
enum { SAMPLED_BYTES_MAX = 1 << 25, SAMPLED_DISK_BYTES_MAX = 1 << 29 };

/* The outputs of one timed run. */
struct sampled_run {
    uint64_t input_seed;
    /* by tensor of the problem; NULL for a tensor that is not an output or was not copied */
    void **outputs;
    size_t count; /* number of tensors */
    bool rests;   /* the outputs are kept for long, and can rest on the disk */
};

/*
 * Timed runs drawn at random from the middle of a timing. Their outputs are kept until the timing
 * is over and then verified against expected values that are computed at that moment. These
 * expected values cannot be computed in advance for all runs, because the number of runs is not
 * known then; if they were computed for some runs only, a candidate that is wrong in the middle of
 * the timing could pass.
 *
 * If the outputs of `wanted` runs are large, only the first `places` are kept, and each later run
 * that is drawn is verified at once. A verified run does not lose its place to a later one, so
 * every run is verified with at least the same probability, and wanted * (1 + log(seen / wanted))
 * runs on average. Runs whose outputs stay on the device are never kept: the n-th is verified at
 * once with the probability wanted / n.
 *
 * The first runs that are drawn may have expected values that were computed ahead (expectations.h).
 * They are verified at once. More runs are drawn then (check_draws.h), so that the last runs of a
 * timing are verified as often as without them if two such runs take the place of one that is kept.
 *
 * A candidate that is wrong in the share f of these runs passes with probability (1 - f)^wanted. To
 * change the median it must be wrong in half of the runs; with 16 sampled runs it then passes in at
 * most 1 of 65,000 cases.
 */
struct sampled_runs {
    struct sampled_run runs[SAMPLED_RUNS_MAX];
    size_t count;
    size_t wanted; /* at most SAMPLED_RUNS_MAX */
    size_t places; /* runs to keep at a time, at most `wanted` */
    size_t seen;   /* number of runs that the sample was drawn from */
    size_t known;  /* of these the first ones, verified at once by values computed ahead */
};

/*
 * Copy the outputs of the run that `inspection` describes, on data from `input_seed`, and replace
 * those of another run at the same dimensions. Outputs are copied before expected values are
 * computed, because a candidate that still runs could correct them. Outputs that stay on the device
 * are not copied here: the device oracle copies them before it computes.
 */
void sampled_run_copy(struct sampled_run *run, const struct inspection *inspection,
                      uint64_t input_seed);
void sampled_run_release(struct sampled_run *run);

/* Let the outputs rest on the disk, if they can. */
void sampled_run_rest(const struct sampled_run *run);

/* Begin a sample of `wanted` runs of the program that `inspection` is for. */
struct sampled_runs sampled_runs_make(size_t wanted, const struct inspection *inspection);

/*
 * Offer the run to the sample (reservoir sampling). False if it is drawn and there is no room for
 * it: the caller then verifies it at once.
 */
bool sampled_runs_consider(struct sampled_runs *sample, const struct inspection *inspection,
                           uint64_t input_seed);

/*
 * Keep `count` runs, drawn at random, of those that are kept, less half of the known ones, and
 * release the others.
 */
void sampled_runs_thin(struct sampled_runs *sample, size_t count);
void sampled_runs_release(struct sampled_runs *sample);

#endif
