#ifndef CORE_JUDGE_INSPECT_H
#define CORE_JUDGE_INSPECT_H

#include "core/judge/executor/executor.h"
#include "core/judge/task/expectations.h"

/*
 * Looking at all that one run left behind in the shared memory: guard zones,
 * inputs that should not have changed, outputs against the expected values.
 */
struct inspection {
    const struct executor *executor;
    unsigned side; /* of the copy of what it left */
    const struct problem *problem;
    const struct dispatch *dispatch;
    const struct expectations_case *shape;
    uint64_t param_seed, input_seed;    /* what the run worked on */
    const struct expectation *expected; /* NULL where nobody has computed it */
    unsigned seed_id;                   /* what the verdict calls the seed */
    bool is_timed;                      /* and no trial, unless it is off */
    void *const *outputs; /* by tensor, of a run before; NULL: those that the executor holds */
};

/*
 * Whether the run is right in every respect.  If not, the verdict is
 * concluded with the first thing that is wrong.  A trial for each output is
 * appended to the verdict; its error map becomes this run's if it has none
 * yet, or if this run is off.
 */
bool inspect_run(const struct inspection *inspection, struct verdict *verdict);

/* The same of the outputs alone. */
bool inspect_outputs(const struct inspection *inspection, struct verdict *verdict);

/* The same without looking at the outputs. */
bool inspect_surroundings(const struct inspection *inspection, struct verdict *verdict);

/* How far the outputs are from those of a run before, which were copied to `side`, ||now - before||
 * / ||before||; 0 only for the same bits. */
double inspect_distance(const struct inspection *inspection, unsigned side);

/*
 * Whether a run before, on the same data and copied to `side`, came to what
 * this one did, which is right.  If not, the verdict is concluded: `what` the
 * run before was.
 */
bool inspect_before(const struct inspection *inspection, unsigned side, const char *what,
                    struct verdict *verdict);

#endif
