#ifndef CORE_JUDGE_TIMING_TIMING_H
#define CORE_JUDGE_TIMING_TIMING_H

#include "core/judge/companion.h"
#include "core/judge/timing/timing_result.h"

/*
 * Timing of a loaded candidate: batches of runs on new data, in turn with the best candidate so far
 * and the first of the session, until the interval of the median is narrow enough or the time limit
 * is reached. The order of the programs changes from round to round. In a good session the first
 * candidate is much slower than the others, so it takes part in the first rounds only, and only if
 * its runs are short.
 *
 * The judge trusts nothing that the candidate could forge. It inspects some runs, called secret,
 * which the candidate cannot tell from the others (timed_check.h). The first and the last secret
 * run are verified against expected values made for them. Those in between are drawn for a sample,
 * which the caller verifies afterwards, or at once if outputs are large (sampled_run.h). Some of
 * them are repeated at once with wiped scratch, as in verification: the timed run must have given
 * the same bits, or be right. The number of rounds is drawn too. The device's times must agree with
 * the judge's own clocks: they must not exceed the time that the judge waited for the batch.
 * Kernels on the host's cores could forge times, so there the times must not be too short for the
 * CPU time that the cores spent.
 */

/* Programs of others that are timed between the rounds: the baselines. */
struct timing_guests {
    /* Called after each round with its number; NULL if there are none. */
    enum status (*time)(void *data, size_t round, struct error *err);
    void *data;
};

struct timing_request {
    struct executor *executor;
    /* The candidate's; the params on the device were made from its param_seed. */
    const struct inspection *inspection;
    /* With the same params; the last ones, for sampled runs, may be NULL. */
    const struct expectation *secrets[EXPECTATIONS_TIMED];
    size_t sample; /* number of runs to sample, at most SAMPLED_RUNS_MAX */
    /* Verify a run against expected values computed now: one that has no room in the sample, or, at
       most `sample` times, one that a repetition differs from. */
    enum status (*verify)(void *data, const struct sampled_run *run, struct error *err);
    double precision; /* stop at this ratio of half the interval to the median */
    int64_t budget_us;
    double expected_us;                         /* time of a run, from the trials: a first guess */
    double core_share;                          /* the candidate's (evaluation_core_share()) */
    struct companion_run rivals[TIMING_RIVALS]; /* their time is 0 if none is loaded */
    unsigned cores; /* number of host cores that kernels run on; 0: they run elsewhere */
    struct timing_guests guests;
    void (*progress)(void *data, unsigned runs, double median_us);
    void *data;
};

/*
 * Time the candidate. The verdict is concluded if a run is wrong or its time is forged; otherwise
 * it is not changed.
 */
enum status timing_run(const struct timing_request *request, struct verdict *verdict,
                       struct timing_result *result, struct error *err) MUST_CHECK;

/*
 * True if a rival whose runs take this time can take part without using much of the budget. Only
 * the first candidate is ever left out: the decision to keep a candidate needs the best one.
 */
bool timing_can_afford(const struct timing_request *request, enum timing_rival rival);

#endif
