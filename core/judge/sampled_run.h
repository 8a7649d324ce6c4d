#ifndef CORE_JUDGE_SAMPLED_RUN_H
#define CORE_JUDGE_SAMPLED_RUN_H

#include "core/judge/inspect.h"

/*
 * The outputs of one timed run, drawn at random from those in the middle of timing. They are kept
 * until timing is over and then verified against expected values computed at that moment. The
 * expected values of all these runs cannot be computed in advance, because their number is not
 * known then; and if only some were, a candidate that is wrong in the middle of timing could pass.
 */
struct sampled_run {
    uint64_t input_seed;
    void **outputs; /* by tensor of the problem, NULL for one that is no output; NULL: no run was
                       sampled yet */
    size_t count;   /* number of tensors */
    size_t seen;    /* number of runs that the sample was drawn from */
};

/*
 * Take the run that `inspection` shows, on data from `input_seed`, into the draw (reservoir
 * sampling).
 */
void sampled_run_consider(struct sampled_run *sampled_run, const struct inspection *inspection,
                          uint64_t input_seed);
void sampled_run_release(struct sampled_run *sampled_run);

#endif
