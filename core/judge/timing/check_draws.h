#ifndef CORE_JUDGE_TIMING_CHECK_DRAWS_H
#define CORE_JUDGE_TIMING_CHECK_DRAWS_H

#include "core/judge/task/expectations.h"
#include "core/judge/timing/timed_check.h"

/*
 * Draws the timed runs that are checked, and the kind of check. Any run can be the next: a
 * candidate that learns that a run was just verified cannot conclude that the next ones are not.
 */
struct check_draws {
    const struct expectation *const *known; /* expected values of EXPECTATIONS_TIMED runs */
    size_t sample;                          /* number of runs to sample */
    size_t least_rounds;
    size_t since_secret; /* number of rounds since the last one with a secret run */
    size_t secrets;      /* number of secret runs so far */
    size_t sampled;      /* number of sampled runs whose expected values were known */
    bool is_last;        /* the current round is the last */
};

/*
 * On average one of this many rounds has a secret run. After as many rounds without one, the next
 * round has one.
 */
enum { CHECK_DRAWS_ROUNDS = 3 };

/* True for one run in `count` on average. */
bool check_draws_one_in(size_t count);

/*
 * Choose the run of a batch that is certainly secret; `count` for none. In the last round it is the
 * last run, so that a candidate that misbehaves from some run on is found.
 */
size_t check_draws_secret(const struct check_draws *draws, size_t count);

/* The check of run `index` of `count` in a batch; run `chosen` is certainly secret. */
enum timed_check check_draws_take(const struct check_draws *draws, size_t index, size_t chosen,
                                  size_t count);

/* The expected values of a run that is to be checked, if they are known in advance; else NULL. */
const struct expectation *check_draws_known(struct check_draws *draws, enum timed_check check);

#endif
