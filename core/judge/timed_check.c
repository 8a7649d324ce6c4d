#include "core/judge/timed_check.h"

#include "core/judge/executor/poison.h"
#include "core/judge/oracle/fill.h"
#include "core/system/clock.h"
#include "core/system/log.h"

/* Verify the run against expected values that were computed in advance. */
static enum status check_known(struct timed_checks *c, const struct expectation *known,
                               struct error *err)
{
    struct inspection in = *c->inspection;

    in.expected = known;
    in.input_seed = known->input_seed;
    in.is_timed = true;
    return inspect_run(&in, c->verdict, err);
}

/* Verify the timed run that was collected last. */
static enum status verify_now(struct timed_checks *c, uint64_t seed, struct error *err)
{
    int64_t began_us = clock_now_us();
    struct sampled_run timed = {0};
    enum status st;

    sampled_run_copy(&timed, c->inspection, seed);
    st = c->verify(c->data, &timed, err);
    sampled_run_release(&timed);
    *c->aside_us += clock_now_us() - began_us;
    return st;
}

/*
 * Repeat the run with wiped scratch. `*is_same` is false if the two left different bits, and not
 * set if the repetition damaged something, which concludes the verdict.
 */
static enum status repeat(struct timed_checks *c, uint64_t seed, const struct run_digests *digests,
                          bool *is_same, struct error *err)
{
    struct inspection in = *c->inspection;
    const unsigned timed = in.side;
    const struct executor_run again = {.slot = SLOT_CANDIDATE,
                                       .input_seed = seed,
                                       .with_prepare = true,
                                       .param_seed = in.param_seed,
                                       .poison = poison_draw(fill_secret_seed())};
    struct executor_times times = {0};
    enum status st = executor_run(in.executor, &again, &times, err);

    in.input_seed = seed;
    in.side = !timed;
    if (!st)
        st = inspect_collect(&in, err);
    if (st || !inspect_surroundings(&in, c->verdict))
        return st;
    if (inspect_is_same(&in, timed, digests, is_same, err)) {
        log_line("a repeated run is verified: %s", err->text);
        *is_same = false;
    }
    return STATUS_OK;
}

/*
 * Repeat the secret run with wiped scratch, and compare the two. Runs of an honest candidate may
 * differ within the tolerance, so one that differs is verified, if the oracle may take the time;
 * where outputs stay on the device it is the repetition that is verified, and later secret runs
 * are verified at once. A candidate that remembers results in variables of its program passes this
 * check; secret runs with expected values and the sample are there to find it.
 */
static enum status check_again(struct timed_checks *c, uint64_t seed, struct error *err)
{
    const struct inspection *in = c->inspection;
    bool is_in_place = inspect_any_is_in_place(in), is_same = true;
    struct run_digests digests = {.is_followed = true};
    enum status st;

    if (is_in_place && (c->different > 0 || inspect_digest(in, &digests, err)))
        st = verify_now(c, seed, err);
    else
        st = repeat(c, seed, &digests, &is_same, err);
    run_digests_release(&digests);
    if (st || is_same)
        return st;
    return c->different++ < c->most_different || is_in_place ? verify_now(c, seed, err) : STATUS_OK;
}

enum status timed_check_run(struct timed_checks *checks, enum timed_check check,
                            const struct expectation *known, uint64_t seed, struct error *err)
{
    const struct inspection *in = checks->inspection;
    enum status st = inspect_collect(in, err);
    bool is_verified_later;

    if (st || known)
        return st ? st : check_known(checks, known, err);
    if (!inspect_surroundings(in, checks->verdict))
        return STATUS_OK;
    is_verified_later = sampled_runs_consider(checks->sample, in, seed);
    if (!is_verified_later && (check != CHECK_AGAIN || inspect_any_is_in_place(in)))
        return verify_now(checks, seed, err);
    return check == CHECK_AGAIN ? check_again(checks, seed, err) : STATUS_OK;
}
