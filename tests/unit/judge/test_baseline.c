#include "tests/unit/unit.h"

#include <math.h>
#include <stdlib.h>

#include "core/judge/stats/baseline.h"

static const struct baseline_scale unit = {.time = 1, .low = 1, .high = 1};

static void add(struct baseline *baseline, double us, double cost_us)
{
    const struct run_time run = {.us = us};

    baseline_add(baseline, baseline->rounds.count, &run, 1, cost_us);
}

/* Rounds in which the candidate took `us`. */
static struct program_rounds candidate_rounds(double us)
{
    const struct run_time run = {.us = us};
    struct program_rounds rounds = {0};

    for (size_t i = 0; i < BASELINE_SAMPLES; i++)
        program_rounds_add(&rounds, i, &run, 1);
    return rounds;
}

/* One evaluation of a candidate that takes `us` and is at `time` on the scale. */
static void fold(struct baseline *baseline, double us, double time)
{
    const struct program_rounds own = candidate_rounds(us);

    baseline_fold(baseline, &own, false, time);
}

static unsigned take_while_due(struct baseline *baseline, double cost_us)
{
    unsigned taken = 0;

    while (baseline_is_due(baseline)) {
        add(baseline, 100, cost_us);
        taken++;
    }
    return taken;
}

static void a_fast_baseline_runs_several_times_at_first(void **state)
{
    struct baseline baseline = {.name = "library"};
    const struct estimate own = {60, 59, 61}; /* the median of all runs */
    struct comparison made;

    (void)state;
    assert_int_equal(take_while_due(&baseline, 1000), BASELINE_ROUNDS);
    fold(&baseline, 50, 1);
    made = baseline_compare(&baseline, &unit, &own);
    assert_true(made.speedup == 2 && made.time.median_us == 120);
    free(made.name);
}

/* Twenty evaluations of 1 s each permit one or two runs of a baseline that takes 0.5 s. */
static void a_slow_baseline_takes_a_small_share_of_the_time(void **state)
{
    struct baseline baseline = {0};
    unsigned taken = 0;

    (void)state;
    assert_int_equal(take_while_due(&baseline, 500000), 2);
    for (unsigned i = 0; i < 20; i++) {
        fold(&baseline, 50, 1);
        baseline_begin(&baseline);
        baseline_allow(&baseline, 1000000);
        taken += take_while_due(&baseline, 500000);
    }
    assert_in_range(taken, 1, 2);
}

/* The same for one that takes 0.4 s to be made ready, and 0.1 s for a sample. */
static void making_it_ready_is_part_of_its_share(void **state)
{
    struct baseline baseline = {0};
    unsigned placed = 0;

    (void)state;
    baseline_place(&baseline, 400000);
    take_while_due(&baseline, 100000);
    for (unsigned i = 0; i < 20; i++) {
        fold(&baseline, 50, 1);
        baseline_begin(&baseline);
        baseline_allow(&baseline, 1000000);
        if (!baseline_is_due(&baseline))
            continue;
        baseline_place(&baseline, 400000);
        assert_int_equal(take_while_due(&baseline, 100000), 1);
        placed++;
    }
    assert_in_range(placed, 1, 2);
}

/*
 * The machine has become half as fast since the baseline ran beside the first candidate. The second
 * one, timed in turn with the first, is four times as fast; the interval has the uncertainty of
 * that ratio.
 */
static void earlier_ratios_count_on_the_scale(void **state)
{
    struct baseline baseline = {.name = "library"};
    const struct baseline_scale second = {.time = 0.25, .low = 0.9, .high = 1.2};
    const struct estimate own = {25, 25, 25};
    struct comparison made;

    (void)state;
    take_while_due(&baseline, 1000);
    fold(&baseline, 50, 1);
    baseline_begin(&baseline);
    fold(&baseline, 25, second.time);
    made = baseline_compare(&baseline, &second, &own);
    assert_true(made.speedup == 8 && made.time.median_us == 200);
    assert_true(fabs(made.speedup_low - 7.2) < 1e-9 && fabs(made.speedup_high - 9.6) < 1e-9);
    free(made.name);
}

/* On a CPU ratios differ more between processes than within one. */
static void what_one_process_does_not_show_is_enclosed(void **state)
{
    struct baseline baseline = {.name = "library"};
    const struct baseline_scale on_cpu = {.time = 1, .low = 1, .high = 1, .unseen = 0.1};
    const struct estimate own = {50, 50, 50};
    struct comparison made;

    (void)state;
    take_while_due(&baseline, 1000);
    fold(&baseline, 50, 1);
    made = baseline_compare(&baseline, &on_cpu, &own);
    assert_true(made.speedup == 2 && fabs(made.speedup_high - 2 * exp(0.1)) < 1e-9);
    assert_true(fabs(made.speedup_low - 2 / exp(0.1)) < 1e-9);
    free(made.name);
}

/*
 * A baseline whose runs differ is measured once on a quiet machine and once beside other programs,
 * where its quick runs, and the load, count too.
 */
static void other_programs_widen_the_interval(void **state)
{
    struct baseline quiet = {.name = "library"}, busy = {.name = "library"};
    struct program_rounds own = candidate_rounds(50);
    const struct estimate time = {50, 50, 50};
    struct comparison made[2];

    (void)state;
    for (unsigned i = 0; i < BASELINE_SAMPLES; i++) {
        add(&quiet, i % 3 ? 100 : 80, 1000);
        add(&busy, i % 3 ? 100 : 80, 1000);
    }
    baseline_fold(&quiet, &own, false, 1);
    own.load = (struct program_load){true, 0.5};
    baseline_fold(&busy, &own, true, 1);
    made[0] = baseline_compare(&quiet, &unit, &time);
    made[1] = baseline_compare(&busy, &unit, &time);
    assert_true(made[0].speedup == 2 && made[0].speedup_high == 2);
    assert_true(made[1].speedup == 2);
    assert_true(made[1].speedup_low < 1.6 && made[1].speedup_high > 2.2);
    assert_int_equal(busy.count, quiet.count);
    free(made[0].name);
    free(made[1].name);
}

/* Fewer samples are enough where their times are steady. */
static void a_short_first_time_takes_fewer_samples(void **state)
{
    struct baseline baseline = {.first_us = 120000};

    (void)state;
    assert_int_equal(take_while_due(&baseline, 75000), 2);
    baseline_restart(&baseline);
    baseline_begin(&baseline);
    assert_int_equal(take_while_due(&baseline, 1000), BASELINE_ROUNDS);
}

static void a_new_scale_drops_the_samples(void **state)
{
    struct baseline baseline = {0};

    (void)state;
    take_while_due(&baseline, 1000);
    fold(&baseline, 50, 1);
    assert_false(baseline_is_due(&baseline));
    baseline_restart(&baseline);
    assert_int_equal(take_while_due(&baseline, 1000), BASELINE_ROUNDS);
}

static void a_broken_baseline_never_runs(void **state)
{
    struct baseline baseline = {.is_broken = true};

    (void)state;
    assert_int_equal(take_while_due(&baseline, 1000), 0);
}

static struct baseline sampled(double us)
{
    struct baseline baseline = {0};

    for (unsigned i = 0; i < BASELINE_ROUNDS; i++)
        add(&baseline, us, 1000);
    fold(&baseline, 50, 1);
    return baseline;
}

/* A clock that sees nothing of the work, as on a GPU's wrong stream, gives such times. */
static void times_that_cannot_be_are_rejected_with_the_reason(void **state)
{
    static const struct {
        double us;
        const char *reason;
    } cases[] = {
        {0, "its time is 0 us: the clock did not measure its work"},
        {-0.06, "its time is -0.06 us: the clock did not measure its work"},
        {0.03, "its time is 0.0300 us, but nothing correct takes less than 5.00 us: the clock did "
               "not measure its work"},
        {(double)NAN, "a run took nan us, which cannot be a time"},
        {(double)INFINITY, "a run took inf us, which cannot be a time"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct baseline baseline = sampled(cases[i].us);
        struct error why;

        assert_int_equal(baseline_check(&baseline, 5, &why), STATUS_INVALID);
        assert_string_equal(why.text, cases[i].reason);
    }
}

static void other_times_are_accepted(void **state)
{
    struct baseline slow = sampled(100), fast = sampled(0.4);
    struct error why;

    (void)state;
    assert_int_equal(baseline_check(&slow, 5, &why), STATUS_OK);
    assert_int_equal(baseline_check(&fast, 0, &why), STATUS_OK); /* no floor is known */
    add(&slow, -3, 1000); /* one sample in the noise of the clock */
    fold(&slow, 50, 1);
    assert_int_equal(baseline_check(&slow, 5, &why), STATUS_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fast_baseline_runs_several_times_at_first),
        cmocka_unit_test(a_slow_baseline_takes_a_small_share_of_the_time),
        cmocka_unit_test(making_it_ready_is_part_of_its_share),
        cmocka_unit_test(earlier_ratios_count_on_the_scale),
        cmocka_unit_test(what_one_process_does_not_show_is_enclosed),
        cmocka_unit_test(other_programs_widen_the_interval),
        cmocka_unit_test(a_short_first_time_takes_fewer_samples),
        cmocka_unit_test(a_new_scale_drops_the_samples),
        cmocka_unit_test(a_broken_baseline_never_runs),
        cmocka_unit_test(times_that_cannot_be_are_rejected_with_the_reason),
        cmocka_unit_test(other_times_are_accepted),
    };

    return cmocka_run_group_tests_name("baseline", tests, NULL, NULL);
}
