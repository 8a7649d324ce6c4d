#ifndef CORE_JUDGE_COMPANION_H
#define CORE_JUDGE_COMPANION_H

#include "core/judge/evaluation.h"

/*
 * A program that is loaded besides the candidate, to be compared with it: the best candidate so
 * far, or the plain kernels. It was judged before, so it is only built and run here, and its
 * failure is not the fault of the candidate that is being judged. A companion whose plan has
 * tunables is not loaded if the chosen values are unknown (struct candidate).
 */
struct companion {
    unsigned slot;
    const struct candidate *candidate;
    uint64_t param_seed; /* seed of the params that it prepares from */
};

struct companion_run {
    double us;         /* time of a run */
    double core_share; /* of its launches (evaluation_core_share()) */
};

/*
 * Load the companion at the main dimensions and run it once, on the tensors that are on the device.
 * `*made` receives the run; it is not changed if the companion no longer works.
 */
enum status companion_place(const struct evaluation_context *context,
                            const struct companion *companion, struct companion_run *made,
                            struct error *err) MUST_CHECK;

/*
 * Like companion_place(), in an executor that has not been sent a candidate yet, so that the
 * compiled binary can be cached (executor_may_keep()). The time is 0 if nothing can be cached.
 */
enum status companion_keep(const struct evaluation_context *context,
                           const struct companion *companion, struct companion_run *made,
                           struct error *err) MUST_CHECK;

#endif
