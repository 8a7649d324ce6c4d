#ifndef CORE_JUDGE_TIMING_H
#define CORE_JUDGE_TIMING_H

#include "core/judge/sampled_run.h"

/*
 * Timing of a loaded candidate: batches of runs on new data, alternating with the best so
 * far, until the interval of the median is narrow enough or the time is spent.
 *
 * The judge trusts nothing that the candidate could forge. It inspects some runs, called secret,
 * which the candidate cannot tell from the others. The first and the last of them are verified
 * against expected values made for them. Those in between are drawn for a sample, which the caller
 * verifies (sampled_run.h), and some of them are repeated at once with wiped scratch, as in
 * verification, and must give the same outputs. The number of rounds is drawn too. The device's
 * times must fit the judge's own clocks: they must not exceed the time that the judge waited for
 * the batch. Kernels on the host's cores could forge times, so there the times must not be too
 * short for the CPU time that the cores spent.
 */

enum { TIMING_MAX_SAMPLES = 2000, TIMING_MAX_ROUNDS = 200 };

struct timing_request {
    struct executor *executor;
    /* Of the candidate; the params on the device were made from its param_seed. */
    const struct inspection *inspection;
    const struct expectation *secrets[EXPECTATIONS_SECRETS]; /* with the same params */
    size_t sample;    /* number of runs to sample, at most SAMPLED_RUNS_MAX */
    double precision; /* stop at this ratio of half the interval to the median */
    int64_t budget_us;
    double expected_us; /* time of a run, from the trials: a first guess */
    double best_us;     /* the same for the program in SLOT_BEST; 0 if that slot is empty */
    unsigned cores;     /* number of host cores that kernels run on; 0: they run elsewhere */
    void (*progress)(void *data, unsigned runs, double median_us);
    void *data;
};

struct timing_result {
    double samples[TIMING_MAX_SAMPLES];
    size_t count;
    double own_rounds[TIMING_MAX_ROUNDS]; /* medians, by round */
    double best_rounds[TIMING_MAX_ROUNDS];
    size_t rounds;
    double *each_us; /* mean time of each launch, row by round; owned */
    struct estimate time;
    struct sampled_runs sample; /* for the caller to verify */
    bool best_failed; /* the best candidate failed, which ended the timing; the executor may have
                         lost all slots */
};

/*
 * Time the candidate. The verdict is concluded if a run is wrong or its time is forged; otherwise
 * it is not changed.
 */
enum status timing_run(const struct timing_request *request, struct verdict *verdict,
                       struct timing_result *result, struct error *err) MUST_CHECK;

/*
 * Store the times, the time of each launch and the comparison with the best candidate in the
 * verdict.
 */
void timing_keep(const struct timing_request *request, const struct timing_result *result,
                 struct verdict *verdict);
void timing_release(struct timing_result *result);

#endif
