#include "tests/unit/unit.h"

#include <math.h>

#include "core/judge/stats/load_ratio.h"

enum { ROUNDS = 8 };

/* Rounds of one run each on one thread, and as many repeated runs that take `repeated_us`. */
static struct program_rounds rounds_of(double us, double repeated_us)
{
    const struct run_time run = {5000, {us, us, 1}},
                          repeated = {5000, {repeated_us, repeated_us, 1}};
    struct program_rounds rounds = {.shares_work = true, .load = {.is_disturbed = true}};

    for (size_t round = 0; round < ROUNDS; round++) {
        program_rounds_add(&rounds, round, &run, 1);
        program_rounds_add_repeats(&rounds, &repeated, 1);
    }
    return rounds;
}

static bool is_about(double a, double b)
{
    return fabs(a - b) < 1e-9 * fabs(b);
}

/* Without load and differences between runs nothing is unknown. */
static void equal_runs_have_a_ratio(void **state)
{
    struct program_rounds own = rounds_of(100, 100), other = rounds_of(250, 250);
    struct estimate ratio = load_ratio(&own, &other);

    (void)state;
    assert_true(ratio.median_us == 2.5 && ratio.low_us == 2.5 && ratio.high_us == 2.5);
}

/*
 * A candidate whose repeated runs are quick may be so on a quiet machine, too; one whose repeated
 * runs do nothing gains no more than a factor of three.
 */
static void quick_repeats_are_in_the_interval(void **state)
{
    struct program_rounds own = rounds_of(100, 60), other = rounds_of(120, 120),
                          forged = rounds_of(100, 0.1);
    struct estimate ratio = load_ratio(&own, &other);

    (void)state;
    assert_true(is_about(ratio.median_us, 1.2) && is_about(ratio.low_us, 1.2));
    assert_true(is_about(ratio.high_us, 2));
    assert_true(is_about(load_ratio(&forged, &other).high_us, 3.6));
    own.repeated.count = 7;
    assert_true(is_about(load_ratio(&own, &other).high_us, 1.2)); /* too few of them */
}

/* A pool of two threads that share a core, or wait for one, in three of five runs. */
static struct program_rounds disturbed(double us)
{
    struct program_rounds rounds = {.shares_work = true, .load = {.is_disturbed = true}};

    for (size_t round = 0; round < 20; round++) {
        const double walls_us[] = {us, 4 * us, us + 3000, us, us + 9000};
        struct run_time run = {walls_us[round % 5], {2 * us, us, 2}};

        program_rounds_add(&rounds, round, &run, 1);
    }
    return rounds;
}

static void waiting_does_not_count(void **state)
{
    struct program_rounds own = rounds_of(10, 10), other = disturbed(28);
    struct estimate ratio = load_ratio(&own, &other);

    (void)state;
    assert_true(is_about(ratio.median_us, 2.8) && is_about(ratio.high_us, 2.8));
    ratio = load_ratio(&other, &own);
    assert_true(is_about(ratio.median_us, 1 / 2.8) && is_about(ratio.low_us, 1 / 2.8));
}

/* Threads of a candidate that let each other wait, by a lock: the path is as long as the work. */
static void threads_that_take_turns_gain_nothing(void **state)
{
    struct program_rounds own = {.shares_work = true, .load = {.is_disturbed = true}},
                          other = disturbed(50);
    struct estimate ratio;

    (void)state;
    for (size_t round = 0; round < 20; round++)
        program_rounds_add(&own, round, &(struct run_time){9000, {100, 100, 2}}, 1);
    ratio = load_ratio(&own, &other);
    assert_true(is_about(ratio.median_us, 0.5) && is_about(ratio.high_us, 0.5));
}

/*
 * A candidate that disturbs itself in most runs is as slow as these: no run is left out. That it is
 * quick in a third of them is enclosed.
 */
static void slow_runs_of_its_own_count(void **state)
{
    struct program_rounds own = {.shares_work = true, .load = {.is_disturbed = true}},
                          other = rounds_of(100, 100);
    struct estimate ratio;

    (void)state;
    for (size_t round = 0; round < 30; round++) {
        double us = round % 3 ? 200 : 40;

        program_rounds_add(&own, round, &(struct run_time){5000, {us, us, 1}}, 1);
    }
    ratio = load_ratio(&own, &other);
    assert_true(is_about(ratio.median_us, 0.5) && ratio.low_us <= 0.5 && ratio.high_us >= 2.5);
}

/* The width grows with the load and with the logarithm of the ratio, more on the side away from 1.
 */
static void load_widens_the_interval(void **state)
{
    struct program_rounds own = rounds_of(100, 100), same = rounds_of(100, 100),
                          other = rounds_of(1000, 1000);

    (void)state;
    own.load.waited_share = 0.5;
    assert_true(is_about(load_ratio(&own, &same).high_us, exp(0.1)));
    assert_true(is_about(load_ratio(&own, &other).high_us, 10 * exp(0.1 + 0.225)));
    assert_true(is_about(load_ratio(&own, &other).low_us, 10 / exp(0.1 + 0.065 * 1.5)));
    assert_true(is_about(load_ratio(&other, &own).high_us, 0.1));
    other.load.waited_share = 0.5;
    assert_true(is_about(load_ratio(&other, &own).high_us, 0.1 * exp(0.1 + 0.065 * 1.5)));
    assert_true(is_about(load_ratio(&other, &own).low_us, 0.1 / exp(0.1 + 0.225)));
    own.load.waited_share = 0.8;
    assert_true(is_about(load_ratio(&own, &same).low_us, exp(-0.16)));
}

static void differing_rounds_widen_the_interval(void **state)
{
    struct program_rounds own = rounds_of(100, 100), other = rounds_of(100, 100);
    const struct run_time slow = {5000, {200, 200, 1}};
    double high = load_ratio(&own, &other).high_us;

    (void)state;
    program_rounds_add(&other, ROUNDS, &slow, 1);
    assert_true(high == 1 && load_ratio(&own, &other).high_us == 1); /* by ranks */
    other = (struct program_rounds){.shares_work = true};
    for (size_t round = 0; round < 2; round++)
        program_rounds_add(&other, round, &slow, 1);
    program_rounds_add(&other, 2, &(struct run_time){5000, {100, 100, 1}}, 1);
    assert_true(load_ratio(&own, &other).high_us > 2 * exp(0.6 * 1.3 * log(2)));
}

/*
 * One thread did all the work of each run, of which sizes say that two would do it: each of the
 * programs may take twice as long as it seems.
 */
static void an_unseen_division_is_enclosed(void **state)
{
    struct program_rounds own = rounds_of(100, 100), other = rounds_of(100, 100);
    struct estimate ratio;

    (void)state;
    own.core_share = other.core_share = 0.5;
    ratio = load_ratio(&own, &other);
    assert_true(ratio.median_us == 1);
    assert_true(is_about(ratio.low_us, 0.5) && is_about(ratio.high_us, 2));
}

static void a_program_without_rounds_has_no_ratio(void **state)
{
    struct program_rounds own = rounds_of(100, 100), none = {0};

    (void)state;
    assert_true(load_ratio(&own, &none).high_us == 0 && load_ratio(&none, &own).high_us == 0);
}

/* The bounds can be multiplied and divided. */
static void a_single_round_has_finite_bounds(void **state)
{
    struct program_rounds own = rounds_of(100, 100), other = {.shares_work = true};
    struct estimate ratio;

    (void)state;
    program_rounds_add(&other, 0, &own.fresh.items[0], 1);
    ratio = load_ratio(&own, &other);
    assert_true(ratio.low_us > 0 && ratio.low_us < 0.01);
    assert_true(isfinite(ratio.high_us) && ratio.high_us > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_runs_have_a_ratio),
        cmocka_unit_test(quick_repeats_are_in_the_interval),
        cmocka_unit_test(waiting_does_not_count),
        cmocka_unit_test(threads_that_take_turns_gain_nothing),
        cmocka_unit_test(slow_runs_of_its_own_count),
        cmocka_unit_test(load_widens_the_interval),
        cmocka_unit_test(differing_rounds_widen_the_interval),
        cmocka_unit_test(an_unseen_division_is_enclosed),
        cmocka_unit_test(a_program_without_rounds_has_no_ratio),
        cmocka_unit_test(a_single_round_has_finite_bounds),
    };

    return cmocka_run_group_tests_name("load_ratio", tests, NULL, NULL);
}
