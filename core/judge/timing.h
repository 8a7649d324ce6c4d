#ifndef CORE_JUDGE_TIMING_H
#define CORE_JUDGE_TIMING_H

#include "core/judge/sampled_run.h"

/*
 * How long a loaded candidate takes: runs on new data, in batches, in turn
 * with the best one so far, until the interval of the median is narrow or
 * the time is spent.
 *
 * Nothing is taken on trust.  Some runs, which the candidate cannot tell from
 * the others, are looked at, the very last among them: the first and the last
 * against expected values made for them, those between are made again
 * afterwards with scratch wiped, as in verification, and must come to the same; one of these is
 * kept (sampled_run.h).  And the device's times must fit the judge's own clocks: not longer than
 * the judge waited for a batch; and where kernels run on the host's cores, which they could use to
 * forge times, not so short that the cores' work has no explanation.
 */

enum { TIMING_MAX_SAMPLES = 2000, TIMING_MAX_ROUNDS = 200 };

struct timing_request {
    struct executor *executor;
    const struct inspection *inspection; /* of the candidate; its param_seed made the params */
    const struct expectation *secrets[EXPECTATIONS_SECRETS]; /* with the params of the inspection */
    double precision;                                        /* relative half width to reach */
    int64_t budget_us;
    double expected_us; /* of a run: a first guess, from the trials */
    double best_us;     /* the same for SLOT_BEST; 0 where nothing is loaded there */
    unsigned cores;     /* of the host, that kernels run on; 0 for none */
    void (*progress)(void *data, unsigned runs, double median_us);
    void *data;
};

struct timing_result {
    double samples[TIMING_MAX_SAMPLES];
    size_t count;
    double own_rounds[TIMING_MAX_ROUNDS]; /* the median of each round */
    double best_rounds[TIMING_MAX_ROUNDS];
    size_t rounds;
    double *each_us; /* of each round each launch, the mean; owned */
    struct estimate time;
    struct sampled_run sampled_run; /* for the caller to hold against what is expected */
    bool best_failed; /* and ended the timing: the executor may have lost what was loaded */
};

/*
 * The verdict is concluded when a run is not what it claims to be; else it is
 * left alone.
 */
enum status timing_run(const struct timing_request *request, struct verdict *verdict,
                       struct timing_result *result, struct error *err) MUST_CHECK;

/* What it comes to: the time, that of each launch, and the comparison with the best one. */
void timing_keep(const struct timing_request *request, const struct timing_result *result,
                 struct verdict *verdict);
void timing_release(struct timing_result *result);

#endif
