#ifndef CORE_JUDGE_TIMING_TIMED_CHECK_H
#define CORE_JUDGE_TIMING_TIMED_CHECK_H

#include "core/judge/sampled_run.h"

/* The checks of runs in the middle of a timing. */

/* How a timed run is checked: not, by the sample, or by the sample and a repetition. */
enum timed_check { CHECK_NONE, CHECK_SAMPLE, CHECK_AGAIN };

/* Borrows everything. */
struct timed_checks {
    const struct inspection *inspection; /* the candidate's, in the timing */
    struct verdict *verdict;
    struct sampled_runs *sample;
    /* The most runs that are verified because a repetition differs from them. */
    size_t most_different;
    /* Verify a run against expected values computed now. */
    enum status (*verify)(void *data, const struct sampled_run *run, struct error *err);
    void *data;
    int64_t *aside_us; /* the time spent on expected values is added to it */
    size_t different;  /* number of secret runs that a repetition differed from */
    /* The outputs of a verified run in host memory, and digests of those on the device. */
    struct sampled_run reference;
    struct run_digests reference_digests;
    bool reference_is_in_place; /* some of it is on the device */
    size_t references;          /* number of runs that were compared with it */
};

/*
 * Copy what the run that has just ended on data from `seed` left, and check it; `check` is not
 * CHECK_NONE. `known` are its expected values, if they were computed in advance, else NULL.
 * Concludes the verdict if something is wrong.
 *
 * Outputs that stay on the device are lost at the next run: so a run that the sample draws is
 * verified at once. In place of most secret runs that are not verified, a further run on the data
 * of one that was is made: it is right if both leave the same bits. The others are repeated, and
 * the two are compared, by digests. So are the runs of a candidate whose oracle is slow.
 */
enum status timed_check_run(struct timed_checks *checks, enum timed_check check,
                            const struct expectation *known, uint64_t seed,
                            struct error *err) MUST_CHECK;

/*
 * After the last timed run: if outputs stay on the device, compare six to ten further runs with a
 * verified one, or fewer if a quarter of a second is over. Concludes the verdict if something
 * is wrong. timed_checks_release() follows in any case.
 */
enum status timed_checks_finish(struct timed_checks *checks, struct error *err) MUST_CHECK;
void timed_checks_release(struct timed_checks *checks);

#endif
