#ifndef CORE_JUDGE_INSPECT_H
#define CORE_JUDGE_INSPECT_H

#include "core/base/digest.h"
#include "core/judge/executor.h"
#include "core/judge/pool.h"

/*
 * Looking at all that one run left behind in the shared memory: guard zones,
 * inputs that should not have changed, outputs against the expected values.
 */
struct inspection {
    const struct executor *executor;
    unsigned slot;
    const struct problem *problem;
    const struct dispatch *dispatch;
    const struct pool_case *shape;
    const struct expectation *expectation;
    unsigned seed_id; /* what the verdict calls the seed */
    bool only_if_off; /* append trials only where something is wrong */
};

/*
 * Whether the run is right in every respect.  If not, the verdict is
 * concluded with the first thing that is wrong.  A trial for each output is
 * appended to the verdict; its error map becomes this run's if it has none
 * yet, or if this run is off.
 */
bool inspect_run(const struct inspection *inspection, struct verdict *verdict);

/* A digest of the outputs' bits, to compare runs on the same data. */
void inspect_digest(const struct inspection *inspection, char digest[DIGEST_HEX_SIZE]);

#endif
