#ifndef CORE_JUDGE_SAMPLED_RUN_H
#define CORE_JUDGE_SAMPLED_RUN_H

#include "core/judge/inspect.h"

/*
 * What one secret run in the middle of timing came to, each of them as likely as any other.  It is
 * kept until timing is over, and held against expected values that are computed then: before that
 * nobody knows how many there will be, and a candidate that is wrong in the middle only would pass
 * with all that were made ahead.
 */
struct sampled_run {
    uint64_t input_seed;
    void **outputs; /* by tensor of the problem, NULL where it is no output; NULL: none yet */
    size_t count;   /* of tensors */
    size_t seen;    /* runs that it was drawn from */
};

/* The run that `inspection` shows, on `input_seed`, is one more to draw from. */
void sampled_run_consider(struct sampled_run *sampled_run, const struct inspection *inspection,
                          uint64_t input_seed);
void sampled_run_release(struct sampled_run *sampled_run);

#endif
