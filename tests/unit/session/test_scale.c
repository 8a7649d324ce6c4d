#include "tests/unit/session_events.h"

#include <math.h>
#include <string.h>

#include "core/session/state/engine.h"
#include "core/session/state/scale.h"
#include "core/session/state/scaled_verdict.h"

/*
 * Sessions of programs whose true times are known, on a machine that becomes slower while they are
 * timed: all times of a later moment are longer by the same factor.
 */

enum { ATTEMPTS = 30, WALKS = 60 };

static const double noise = 0.003; /* standard deviation of the logarithm of a measured ratio */
static const double base_us = 500; /* true time of the baseline */

/* A session beside the truth.  xorshift64 (Marsaglia 2003) draws the numbers. */
struct walk {
    struct session session;
    uint64_t random;
    double clock; /* the factor of this moment */
    double true_us[ATTEMPTS];
};

static double draw(struct walk *walk)
{
    walk->random ^= walk->random << 13;
    walk->random ^= walk->random >> 7;
    walk->random ^= walk->random << 17;
    return (double)(walk->random >> 11) / 9007199254740992.0;
}

/* A normal number, from the sum of twelve uniform ones. */
static double draw_normal(struct walk *walk)
{
    double sum = -6;

    for (int i = 0; i < 12; i++)
        sum += draw(walk);
    return sum;
}

static double true_us(const struct walk *walk, const struct attempt *attempt)
{
    return walk->true_us[attempt->number - 1];
}

static struct ratio measure(struct walk *walk, double ratio)
{
    double value = ratio * exp(noise * draw_normal(walk)), wide = exp(1.96 * noise);

    return (struct ratio){value, value / wide, value * wide};
}

/* The judge's verdict on the last attempt at this moment. */
static struct evaluation_finished judge(struct walk *walk)
{
    const struct session *s = &walk->session;
    const struct attempt *own = session_subject(s), *best = session_attempt(s, s->now.best);
    const struct attempt *first = scale_first(s);
    double us = true_us(walk, own);
    struct ratio over_best = measure(walk, best ? true_us(walk, best) / us : 1);
    struct ratio over_first = measure(walk, first ? true_us(walk, first) / us : 1);
    struct ratio speedup = measure(walk, base_us / us);

    return (struct evaluation_finished){.attempt = own->number,
                                        .outcome = OUTCOME_CORRECT,
                                        .verdict = ID("3"),
                                        .is_timed = true,
                                        .median_us = us * walk->clock,
                                        .low_us = us * walk->clock * 0.999,
                                        .high_us = us * walk->clock * 1.001,
                                        .over = "eager",
                                        .has_speedup = true,
                                        .speedup = speedup.value,
                                        .speedup_low = speedup.low,
                                        .speedup_high = speedup.high,
                                        .has_gain = best != NULL,
                                        .gain = over_best.value,
                                        .gain_low = over_best.low,
                                        .gain_high = over_best.high,
                                        .timed_with = best ? best->number : 0,
                                        .has_first_gain =
                                            first && first != best && draw(walk) < 0.8,
                                        .first_gain = over_first.value,
                                        .first_gain_low = over_first.low,
                                        .first_gain_high = over_first.high};
}

static void add_attempt(struct walk *walk)
{
    struct session *s = &walk->session;
    struct evaluation_finished finished;

    apply_answer(s, s->now.best);
    walk->true_us[s->attempts.count - 1] = 100 * exp(1 - 2 * draw(walk));
    if (draw(walk) < 0.2)
        walk->clock *= 1.3;
    finished = judge(walk);
    apply_event(s, event_make(EVENT_EVALUATION_FINISHED, &finished));
    apply_step(s, STEP_KEEP, finished.attempt);
    apply_decision(s, engine_policy(s, NULL, 0));
    if (s->now.stage == STAGE_COMMIT)
        apply_commit(s);
}

static struct walk walk_of(uint64_t seed)
{
    struct walk walk = {.random = seed, .clock = 1};
    struct limits limits = {.functional = 99, .optimize = 99, .flat = 99};

    apply_opening(&walk.session, limits);
    for (int i = 0; i < ATTEMPTS; i++)
        add_attempt(&walk);
    return walk;
}

static void assert_ratio(double shown, double of_times)
{
    if (fabs(shown / of_times - 1) > 1e-9)
        fail_msg("%.12g is shown beside times of ratio %.12g", shown, of_times);
}

/* For a pair of attempts: the ranking is the true one, and the ratio of the times is every ratio.
 */
static void check_pair(const struct walk *walk, const struct attempt *a, const struct attempt *b)
{
    const struct session *s = &walk->session;
    double ratio = b->time.median_us / a->time.median_us;
    double truth = true_us(walk, b) / true_us(walk, a);

    assert_ratio(a->speed.value / b->speed.value, ratio);
    assert_ratio(scale_speedup(s, a) / scale_speedup(s, b), ratio);
    if (a->timed_with == b->number)
        assert_ratio(a->gain, ratio);
    if (fabs(log(truth)) > 0.05)
        assert_int_equal(scale_is_faster(a, b), truth > 1);
    assert_true(fabs(log(ratio / truth)) < 12 * noise);
}

static void the_ranking_is_true_and_no_two_numbers_contradict(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= WALKS; seed++) {
        struct walk walk = walk_of(seed * 0x9E3779B97F4A7C15U);
        const struct session *s = &walk.session;
        const struct attempt *best = session_attempt(s, s->now.best);
        double unit; /* the clock of the scale is that of the first evaluation */

        for (unsigned i = 1; i <= ATTEMPTS; i++) {
            const struct attempt *a = session_attempt(s, i);

            for (unsigned j = 1; j <= ATTEMPTS; j++)
                check_pair(&walk, a, session_attempt(s, j));
            assert_ratio(scale_baseline_us(s, "eager") / a->time.median_us, scale_speedup(s, a));
            assert_false(a->is_kept && scale_is_faster(a, best));
        }
        unit = scale_first(s)->measured.median_us / true_us(&walk, scale_first(s));
        assert_true(fabs(log(scale_baseline_us(s, "eager") / base_us / unit)) < 6 * noise);
        assert_string_equal(scale_strongest(s), "eager");
        session_release(&walk.session);
    }
}

/* Twenty links of a chain are as well known as two, and a gain as well as its own ratio at least.
 */
static void the_first_holds_a_long_chain(void **state)
{
    struct session s = {0};
    const double low = exp(-1.96 * noise), high = exp(1.96 * noise);

    (void)state;
    apply_opening(&s, (struct limits){.functional = 99, .optimize = 99, .flat = 99});
    apply_round(&s, 1000, DECISION_ACCEPTED);
    for (int i = 1; i <= 20; i++) {
        double gain = 1.1, over_first = pow(gain, i);
        struct evaluation_finished finished = {.attempt = (unsigned)i + 1,
                                               .outcome = OUTCOME_CORRECT,
                                               .verdict = ID("3"),
                                               .is_timed = true,
                                               .median_us = 700,
                                               .low_us = 690,
                                               .high_us = 710,
                                               .has_gain = true,
                                               .gain = gain,
                                               .gain_low = gain * low,
                                               .gain_high = gain * high,
                                               .has_first_gain = i > 1,
                                               .first_gain = over_first,
                                               .first_gain_low = over_first * low,
                                               .first_gain_high = over_first * high};
        const struct attempt *attempt;

        apply_answer(&s, s.now.best);
        apply_event(&s, event_make(EVENT_EVALUATION_FINISHED, &finished));
        apply_step(&s, STEP_KEEP, finished.attempt);
        apply_decision(&s, DECISION_ACCEPTED);
        apply_commit(&s);
        attempt = session_attempt(&s, s.now.best);
        assert_true(fabs(attempt->speed.value / over_first - 1) < 1e-9);
        assert_true(attempt->speed.high / attempt->speed.low < pow(high / low, 1.0001));
        assert_true(attempt->gain_low >= gain * low && attempt->gain_high <= gain * high);
        assert_true(attempt->time.low_us < attempt->time.median_us);
    }
    session_release(&s);
}

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
        assert_ratio(session_attempt(&s, 2)->time.median_us, 500);
        if (!fails) {
            apply_step(&s, STEP_KEEP, 1);
            apply_decision(&s, DECISION_VETOED);
        }
        apply_answer(&s, 1);
        apply_finished(&s, (struct evaluation_finished){
                               .median_us = 520, .has_first_gain = true, .first_gain = 2.5});
        assert_ratio(session_last_attempt(&s)->time.median_us, 400);
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
        cmocka_unit_test(the_ranking_is_true_and_no_two_numbers_contradict),
        cmocka_unit_test(the_first_holds_a_long_chain),
        cmocka_unit_test(without_ratios_the_quotient_of_times_counts),
        cmocka_unit_test(the_base_of_the_scale_stays_when_it_is_judged_again),
        cmocka_unit_test(what_is_no_ratio_is_left_out),
        cmocka_unit_test(too_few_rounds_leave_the_interval_unknown),
        cmocka_unit_test(baselines_that_come_later_change_no_attempt),
        cmocka_unit_test(a_speedup_that_is_not_to_be_believed_says_so),
        cmocka_unit_test(one_interval_decides_about_the_mark),
        cmocka_unit_test(a_verdict_is_put_on_the_scale),
    };

    return cmocka_run_group_tests_name("scale", tests, NULL, NULL);
}
