#include "tests/unit/session_events.h"

#include <math.h>
#include <string.h>

#include "core/session/state/scale.h"
#include "core/session/state/scaled_verdict.h"

static void apply_finished(struct session *s, struct evaluation_finished finished)
{
    finished.attempt = (unsigned)s->attempts.count;
    finished.outcome = OUTCOME_CORRECT;
    finished.verdict = ID("3");
    finished.is_timed = true;
    finished.low_us = finished.median_us * 0.99;
    finished.high_us = finished.median_us * 1.01;
    apply_event(s, event_make(EVENT_EVALUATION_FINISHED, &finished));
}

/* Journals from before the scale, and a best one that no longer runs. */
static void without_ratios_the_quotient_of_times_counts(void **state)
{
    struct session s = {0};
    const struct attempt *last;

    (void)state;
    apply_opening(&s, roomy);
    apply_round(&s, 100, DECISION_ACCEPTED);
    apply_answer(&s, 1);
    apply_finished(&s, (struct evaluation_finished){
                           .median_us = 130, .has_gain = true, .gain = 2, .gain_low = 1.9});
    last = session_last_attempt(&s);
    assert_true(last->gain == 2 && last->gain_low == 1.9 && last->gain_high == 4 / 1.9);
    assert_true(fabs(last->time.median_us - 50) < 1e-9 && last->measured.median_us == 130);
    apply_step(&s, STEP_KEEP, 2);
    apply_decision(&s, DECISION_ACCEPTED);
    apply_commit(&s);
    assert_int_equal(s.now.best, 2);

    apply_answer(&s, 2);
    apply_finished(&s, (struct evaluation_finished){.median_us = 65});
    last = session_last_attempt(&s);
    assert_true(fabs(last->gain - 2) < 1e-9 && fabs(last->speed.value - 4) < 1e-9);
    assert_true(last->gain_low < 2 * 0.99 && last->gain_high > 2 * 1.01);
    session_release(&s);
}

/*
 * The first attempt is judged again, after all decisions but the first were undone: on a slower
 * machine, or it fails.  The place of the second one stays true.
 */
static void the_base_of_the_scale_stays_when_it_is_judged_again(void **state)
{
    (void)state;
    for (int fails = 0; fails < 2; fails++) {
        struct session s = {0};
        const struct attempt *first;

        apply_opening(&s, roomy);
        apply_round(&s, 1000, DECISION_ACCEPTED);
        apply_answer(&s, 1);
        apply_finished(&s, (struct evaluation_finished){
                               .median_us = 650, .has_gain = true, .gain = 2, .gain_low = 1.9});
        for (unsigned step = 5; step >= 2; step--)
            apply_event(&s, event_make(EVENT_STEP_UNDONE, &(struct step_undone){step}));
        apply_decision(&s, DECISION_ACCEPTED);
        apply_event(&s, event_make(EVENT_EVALUATION_FINISHED,
                                   &(struct evaluation_finished){.attempt = 1,
                                                                 .outcome = fails ? OUTCOME_CRASHED
                                                                                  : OUTCOME_CORRECT,
                                                                 .verdict = ID("3"),
                                                                 .is_timed = !fails,
                                                                 .median_us = fails ? 0 : 1300,
                                                                 .low_us = fails ? 0 : 1290,
                                                                 .high_us = fails ? 0 : 1310}));
        first = session_attempt(&s, 1);
        assert_true(first->time.median_us == (fails ? 0 : 1000) && first->speed.value == 1);
        assert_true(fabs(session_attempt(&s, 2)->time.median_us - 500) < 1e-6);
        if (!fails) {
            apply_step(&s, STEP_KEEP, 1);
            apply_decision(&s, DECISION_VETOED);
        }
        apply_answer(&s, 1);
        apply_finished(&s, (struct evaluation_finished){
                               .median_us = 520, .has_first_gain = true, .first_gain = 2.5});
        assert_true(fabs(session_last_attempt(&s)->time.median_us - 400) < 1e-6);
        session_release(&s);
    }
}

/* A journal may hold anything. */
static void what_is_no_ratio_is_left_out(void **state)
{
    static const double values[] = {(double)INFINITY, (double)NAN, -1, 0};
    struct session s = {0};

    (void)state;
    apply_opening(&s, roomy);
    apply_round(&s, 100, DECISION_ACCEPTED);
    for (int i = 0; i < 4; i++) {
        const struct attempt *last;

        apply_answer(&s, 1);
        apply_finished(&s, (struct evaluation_finished){.median_us = 50,
                                                        .has_gain = true,
                                                        .gain = values[i],
                                                        .gain_low = values[i],
                                                        .timed_with = i == 1 ? 99 : 1,
                                                        .has_first_gain = true,
                                                        .first_gain = values[i],
                                                        .has_speedup = true,
                                                        .speedup = values[i]});
        last = session_last_attempt(&s);
        assert_true(fabs(last->speed.value - 2) < 1e-9 && fabs(last->time.median_us - 50) < 1e-9);
        assert_null(scale_strongest(&s));
        apply_step(&s, STEP_KEEP, last->number);
        apply_decision(&s, DECISION_VETOED);
    }
    session_release(&s);
}

static void too_few_rounds_leave_the_interval_unknown(void **state)
{
    struct session s = {0};
    const struct attempt *last;

    (void)state;
    apply_opening(&s, roomy);
    apply_round(&s, 100, DECISION_ACCEPTED);
    apply_answer(&s, 1);
    apply_finished(
        &s, (struct evaluation_finished){
                .median_us = 50, .has_gain = true, .gain = 2, .gain_high = (double)INFINITY});
    last = session_last_attempt(&s);
    assert_true(last->gain == 2 && last->gain_low == 0 && isinf(last->gain_high));
    assert_true(fabs(last->time.median_us - 50) < 1e-9 && last->time.high_us == 0);
    session_release(&s);
}

/* Nor is it wider than the verdict's on one of its sides. */
static void a_gain_has_the_shape_of_the_interval_that_was_measured(void **state)
{
    struct session s = {0};
    const struct attempt *last;

    (void)state;
    apply_opening(&s, roomy);
    apply_round(&s, 100, DECISION_ACCEPTED);
    apply_answer(&s, 1);
    apply_finished(
        &s, (struct evaluation_finished){
                .median_us = 50, .has_gain = true, .gain = 2, .gain_low = 1.98, .gain_high = 2.02});
    apply_step(&s, STEP_KEEP, 2);
    apply_decision(&s, DECISION_ACCEPTED);
    apply_commit(&s);
    apply_answer(&s, 2);
    apply_finished(&s, (struct evaluation_finished){.median_us = 33,
                                                    .has_gain = true,
                                                    .gain = 1.5,
                                                    .gain_low = 1.45,
                                                    .gain_high = 2.2,
                                                    .has_first_gain = true,
                                                    .first_gain = 3,
                                                    .first_gain_low = 2.6,
                                                    .first_gain_high = 4});
    last = session_last_attempt(&s);
    assert_true(fabs(last->gain - 1.5) < 1e-9);
    assert_true(last->gain_low >= 1.45 && last->gain_low < 1.49);
    assert_true(last->gain_high <= 2.2 && last->gain_high > 1.7);
    session_release(&s);
}

static void assert_result(const struct session *session, const struct attempt *attempt,
                          const char *expected)
{
    struct strbuf result = {0};

    scale_describe_result(session, attempt, &result);
    assert_string_equal(strbuf_cstr(&result), expected);
    strbuf_release(&result);
}

/* Both attempts keep their times and gains, and their speedups are over the compiled baseline. */
static void baselines_that_come_later_change_no_attempt(void **state)
{
    const struct baselines_timed timed = {.attempt = 2,
                                          .verdict = ID("4"),
                                          .over = "compile",
                                          .speedup = 1.5,
                                          .speedup_low = 1.4,
                                          .speedup_high = 1.6};
    struct baselines_timed unknown = timed;
    struct session s = {0};
    struct attempt before[2];
    struct event event;

    (void)state;
    apply_opening(&s, roomy);
    apply_answer(&s, 0);
    apply_finished(&s, (struct evaluation_finished){
                           .median_us = 100, .over = "eager", .has_speedup = true, .speedup = 2});
    apply_step(&s, STEP_KEEP, 1);
    apply_decision(&s, DECISION_ACCEPTED);
    apply_commit(&s);
    apply_answer(&s, 1);
    apply_finished(&s, (struct evaluation_finished){.median_us = 50, .has_gain = true, .gain = 2});
    for (size_t i = 0; i < 2; i++)
        before[i] = s.attempts.items[i];
    apply_event(&s, event_make(EVENT_BASELINES_TIMED, &timed));
    for (size_t i = 0; i < 2; i++) {
        const struct attempt *now = &s.attempts.items[i];

        assert_true(now->time.median_us == before[i].time.median_us);
        assert_true(now->speed.value == before[i].speed.value && now->gain == before[i].gain);
        assert_result(&s, now, i ? "50.0 us, 1.50x over compile" : "100 us, 0.750x over compile");
    }
    assert_string_equal(s.attempts.items[1].verdict, ID("4"));
    assert_string_equal(scale_strongest(&s), "compile");
    assert_true(fabs(scale_speedup(&s, &s.attempts.items[0]) - 0.75) < 1e-9);
    assert_true(fabs(scale_speedup(&s, &s.attempts.items[1]) - 1.5) < 1e-9);
    unknown.attempt = 3;
    event = event_make(EVENT_BASELINES_TIMED, &unknown);
    assert_int_equal(fold_check(&s, &event, &(struct error){0}), STATUS_INVALID);
    event_release(&event);
    session_release(&s);
}

/* The speedup of a first attempt whose baseline was measured with this interval. */
static void assert_speedup(double low, double high, const char *shown, const char *described)
{
    struct session s = {0};
    char text[FORMAT_SIZE];

    apply_opening(&s, roomy);
    apply_answer(&s, 0);
    apply_finished(&s, (struct evaluation_finished){.median_us = 100,
                                                    .over = "eager",
                                                    .has_speedup = true,
                                                    .speedup = 0.5,
                                                    .speedup_low = low,
                                                    .speedup_high = high});
    assert_string_equal(scale_format_speedup(text, &s, &s.attempts.items[0]), shown);
    assert_true((scale_speedup_ratio(&s, &s.attempts.items[0]).low > 0) == (low > 0));
    assert_result(&s, &s.attempts.items[0], described);
    session_release(&s);
}

/* On a machine that other programs keep busy a baseline's interval can span orders of magnitude. */
static void a_speedup_that_is_not_to_be_believed_says_so(void **state)
{
    (void)state;
    assert_speedup(0.45, 0.55, "0.500x", "100 us, 0.500x over eager");
    assert_speedup(0.3, 1.1, "0.500x", "100 us, 0.500x over eager");
    assert_speedup(0.2, 1.1, "0.500x?", "100 us, 0.500x over eager (unsteady)");
    assert_speedup(0.01, 10, "0.500x?", "100 us, 0.500x over eager (unsteady)");
    assert_speedup(0, 0, "0.500x", "100 us, 0.500x over eager");
}

/* The interval beside a baseline's time decides about the mark of every speedup over it. */
static void one_interval_decides_about_the_mark(void **state)
{
    struct comparison against[] = {{.name = (char[]){"eager"}, .time = {1200, 0, 0}}};
    struct verdict verdict = {.timing = {.is_present = true, .time = {500, 495, 505}},
                              .against = {.items = against, .count = 1}};
    struct session s = {0};
    struct ratio shown;
    char text[FORMAT_SIZE];

    (void)state;
    against[0].speedup = 2.4, against[0].speedup_low = 0.5, against[0].speedup_high = 9;
    apply_opening(&s, roomy);
    for (unsigned i = 0; i < 2; i++) {
        apply_answer(&s, i);
        apply_finished(&s, (struct evaluation_finished){.median_us = i ? 500 : 1000,
                                                        .over = "eager",
                                                        .has_speedup = true,
                                                        .speedup = i ? 2.4 : 1.25,
                                                        .speedup_low = i ? 0.5 : 1.2,
                                                        .speedup_high = i ? 9 : 1.3,
                                                        .has_gain = i == 1,
                                                        .gain = 2,
                                                        .gain_low = 1.9,
                                                        .gain_high = 2.1});
        if (i == 0) {
            apply_step(&s, STEP_KEEP, 1);
            apply_decision(&s, DECISION_ACCEPTED);
            apply_commit(&s);
        }
    }
    scaled_verdict_make(&s, session_last_attempt(&s), &verdict);
    shown = scale_speedup_ratio(&s, session_last_attempt(&s));
    assert_true(shown.low > 2.2 && shown.high < 2.8);
    assert_true(against[0].speedup == shown.value && against[0].speedup_low == shown.low &&
                against[0].speedup_high == shown.high);
    assert_string_equal(scale_format_speedup(text, &s, session_last_attempt(&s)), "2.50x");
    session_release(&s);
}

/* A verdict of a slow moment is shown with the times of the scale. */
static void a_verdict_is_put_on_the_scale(void **state)
{
    struct comparison against[] = {
        {.name = (char[]){"best"}, .time = {990, 0, 0}, .speedup = 1.2},
        {.name = (char[]){"eager"}, .time = {1300, 0, 0}, .speedup = 2.5, .speedup_low = 2.4},
        {.name = (char[]){"reference"}, .time = {6000, 0, 0}, .speedup = 10},
    };
    struct kernel_time kernel = {.median_us = 650};
    struct verdict verdict = {.timing = {.is_present = true, .time = {650, 640, 660}},
                              .bound = {.is_present = true, .us = 65, .fraction = 0.1},
                              .against = {.items = against, .count = 3}};
    struct session s = {0};
    const struct attempt *last;

    (void)state;
    verdict.timing.per_kernel.items = &kernel;
    verdict.timing.per_kernel.count = 1;
    apply_opening(&s, roomy);
    apply_round(&s, 1000, DECISION_ACCEPTED);
    apply_answer(&s, 1);
    apply_finished(&s, (struct evaluation_finished){.median_us = 650,
                                                    .has_gain = true,
                                                    .gain = 2,
                                                    .has_bound = true,
                                                    .bound_fraction = 0.1,
                                                    .over = "eager",
                                                    .has_speedup = true,
                                                    .speedup = 2.5});
    last = session_last_attempt(&s);
    scaled_verdict_make(&s, last, &verdict);
    assert_true(fabs(verdict.timing.time.median_us - 500) < 1e-9);
    assert_true(fabs(kernel.median_us - 500) < 1e-9);
    assert_true(fabs(verdict.bound.fraction - 0.13) < 1e-9);
    assert_true(fabs(last->bound_fraction - 0.13) < 1e-9);
    assert_true(fabs(against[0].time.median_us - 1000) < 1e-9 && against[0].speedup == 2);
    assert_true(fabs(against[1].time.median_us - 1250) < 1e-9);
    assert_true(fabs(against[2].time.median_us - 5000) < 1e-9);
    assert_result(&s, last, "500 us, 2.50x over eager");
    session_release(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_ratios_the_quotient_of_times_counts),
        cmocka_unit_test(the_base_of_the_scale_stays_when_it_is_judged_again),
        cmocka_unit_test(what_is_no_ratio_is_left_out),
        cmocka_unit_test(too_few_rounds_leave_the_interval_unknown),
        cmocka_unit_test(a_gain_has_the_shape_of_the_interval_that_was_measured),
        cmocka_unit_test(baselines_that_come_later_change_no_attempt),
        cmocka_unit_test(a_speedup_that_is_not_to_be_believed_says_so),
        cmocka_unit_test(one_interval_decides_about_the_mark),
        cmocka_unit_test(a_verdict_is_put_on_the_scale),
    };

    return cmocka_run_group_tests_name("scale", tests, NULL, NULL);
}
