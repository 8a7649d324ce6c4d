#ifndef CORE_JUDGE_TIMING_H
#define CORE_JUDGE_TIMING_H

#include "core/judge/inspect.h"

/*
 * How long a loaded candidate takes: runs on new data, in batches, in turn
 * with the best one so far, until the interval of the median is narrow or
 * the time is spent.  Some runs, which the candidate cannot tell from the
 * others, are verified.
 */

enum { TIMING_MAX_SAMPLES = 2000, TIMING_MAX_ROUNDS = 200 };

struct timing_request {
    struct executor *executor;
    const struct inspection *inspection; /* of the candidate's secret runs */
    double precision;                    /* relative half width to reach */
    int64_t budget_us;
    double expected_us; /* of a run: a first guess, from the trials */
    double best_us;     /* the same for SLOT_BEST; 0 where nothing is loaded there */
    void (*progress)(void *data, unsigned runs, double median_us);
    void *data;
};

struct timing_result {
    double samples[TIMING_MAX_SAMPLES];
    size_t count;
    double own_rounds[TIMING_MAX_ROUNDS]; /* the median of each round */
    double best_rounds[TIMING_MAX_ROUNDS];
    size_t rounds;
    struct estimate time;
};

/*
 * The verdict is concluded when a secret run is wrong, or when the device's
 * times do not fit the judge's wall clock; else it is left alone.
 */
enum status timing_run(const struct timing_request *request, struct verdict *verdict,
                       struct timing_result *result, struct error *err) MUST_CHECK;

#endif
