#include "tests/unit/session_events.h"

#include <math.h>

#include "core/session/state/engine.h"
#include "core/session/state/scale.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_ranking_is_true_and_no_two_numbers_contradict),
        cmocka_unit_test(the_first_holds_a_long_chain),
    };

    return cmocka_run_group_tests_name("scale_walks", tests, NULL, NULL);
}
