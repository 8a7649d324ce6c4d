#include "core/judge/timing/timed_check.h"

#include "core/judge/executor/poison.h"
#include "core/judge/oracle/fill.h"
#include "core/system/clock.h"
#include "core/system/log.h"

/* Of `PAIRS` secret runs one is repeated; the others are compared with a verified one. */
enum { PAIRS = 3 };

/*
 * After the last timed run so many more are compared with a verified one, however many were before:
 * few secret runs may have come since a candidate began to misbehave. Their number is drawn.
 */
enum { LEAST_LAST = 6, MORE_LAST = 4 };

/* Slow candidates are not compared so often: no run of the last ones begins after this time. */
enum { FINISH_US = 250000 };

/* A sample this small leaves runs to compare with a verified one, because the oracle is slow. */
enum { FEW_SAMPLES = 8 };

/* Keep the outputs of a run that has just been verified, if others are to be compared with it. */
static void keep_reference(struct timed_checks *c, const struct inspection *in)
{
    struct error err;

    if (c->reference.outputs || c->verdict->outcome != OUTCOME_NONE ||
        (c->sample->wanted >= FEW_SAMPLES && !inspect_any_is_in_place(in)))
        return;
    sampled_run_copy(&c->reference, in, in->input_seed);
    c->reference_digests.is_followed = true;
    c->reference_is_in_place = inspect_any_is_in_place(in);
    if (inspect_digest(in, &c->reference_digests, &err)) {
        log_line("no run is compared with a verified one: %s", err.text);
        timed_checks_release(c);
    }
}

/* Verify the run against expected values that were computed in advance. */
static enum status check_known(struct timed_checks *c, const struct expectation *known,
                               struct error *err)
{
    struct inspection in = *c->inspection;
    enum status st;

    in.expected = known;
    in.input_seed = known->input_seed;
    in.is_timed = true;
    st = inspect_run(&in, c->verdict, err);
    if (!st)
        keep_reference(c, &in);
    return st;
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

/* Tell whether the run that has ended left what `digests` are of; false if that is not known. */
static bool is_same_as(const struct inspection *in, unsigned side,
                       const struct run_digests *digests)
{
    bool is_same = false;
    struct error err;

    if (!inspect_is_same(in, side, digests, &is_same, &err))
        return is_same;
    log_line("a repeated run is verified: %s", err.text);
    return false;
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
    *is_same = is_same_as(&in, timed, digests);
    return STATUS_OK;
}

/*
 * Make a run like the timed ones on the data of the verified run. It is right if it leaves the same
 * bits, and is verified if it does not.
 */
static enum status check_reference(struct timed_checks *c, bool is_followed, struct error *err)
{
    struct inspection in = *c->inspection;
    const struct executor_run run = {.slot = SLOT_CANDIDATE,
                                     .input_seed = c->reference.input_seed,
                                     .poison = poison_draw(fill_secret_seed())};
    struct executor_times times = {0};
    enum status st = executor_run(in.executor, &run, &times, err);

    in.input_seed = run.input_seed;
    in.outputs = c->reference.outputs;
    if (!st)
        st = inspect_collect(&in, err);
    if (st || !inspect_surroundings(&in, c->verdict))
        return st;
    c->references++;
    c->reference_digests.is_followed = is_followed;
    if (is_same_as(&in, in.side, &c->reference_digests))
        return STATUS_OK;
    c->different++;
    return verify_now(c, run.input_seed, err);
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

    if (!c->different && c->reference.outputs && fill_secret_seed() % PAIRS != 0)
        return check_reference(c, false, err);
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

    if (!st && known)
        st = check_known(checks, known, err);
    if (known && check == CHECK_SAMPLE) {
        checks->sample->seen++;
        checks->sample->known++;
    }
    if (st || known)
        return st;
    if (!inspect_surroundings(in, checks->verdict))
        return STATUS_OK;
    is_verified_later = sampled_runs_consider(checks->sample, in, seed);
    if (!is_verified_later && (check != CHECK_AGAIN || inspect_any_is_in_place(in)))
        return verify_now(checks, seed, err);
    return check == CHECK_AGAIN ? check_again(checks, seed, err) : STATUS_OK;
}

enum status timed_checks_finish(struct timed_checks *checks, struct error *err)
{
    size_t last = checks->references + LEAST_LAST + fill_secret_seed() % (MORE_LAST + 1);
    int64_t began_us = clock_now_us();
    enum status st = STATUS_OK;

    /* Rivals may have run since, so that nothing of the candidate's is on the device now. */
    if (!checks->reference.outputs || !checks->reference_is_in_place)
        return STATUS_OK;
    while (!st && checks->references < last && !checks->different &&
           checks->verdict->outcome == OUTCOME_NONE && clock_now_us() - began_us < FINISH_US)
        st = check_reference(checks, checks->references + 1 < last, err);
    return st;
}

void timed_checks_release(struct timed_checks *checks)
{
    sampled_run_release(&checks->reference);
    run_digests_release(&checks->reference_digests);
}
