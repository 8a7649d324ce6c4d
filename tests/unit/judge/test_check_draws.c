#include "core/judge/timing/check_draws.h"
#include "tests/unit/unit.h"

static const struct expectation made[EXPECTATIONS_TIMED];

/* As many as `sampled` of the expected values for sampled runs are there. */
static void set_known(const struct expectation **known, size_t sampled)
{
    for (size_t i = 0; i < EXPECTATIONS_TIMED; i++)
        known[i] = i < EXPECTATIONS_SECRETS + sampled ? &made[i] : NULL;
}

/* The first secret runs and the last one, and the first sampled ones, are verified at once. */
static void known_values_are_used_once(void **state)
{
    const struct expectation *known[EXPECTATIONS_TIMED];
    struct check_draws draws = {.known = known, .sample = 1, .least_rounds = 5};

    (void)state;
    set_known(known, EXPECTATIONS_SAMPLED);
    assert_null(check_draws_known(&draws, CHECK_NONE));
    assert_ptr_equal(check_draws_known(&draws, CHECK_AGAIN), &made[0]);
    draws.secrets++;
    assert_null(check_draws_known(&draws, CHECK_AGAIN));
    for (size_t i = 0; i < EXPECTATIONS_SAMPLED; i++)
        assert_ptr_equal(check_draws_known(&draws, CHECK_SAMPLE), &made[EXPECTATIONS_SECRETS + i]);
    assert_null(check_draws_known(&draws, CHECK_SAMPLE));
    draws.is_last = true;
    assert_ptr_equal(check_draws_known(&draws, CHECK_AGAIN), &made[EXPECTATIONS_SECRETS - 1]);
}

enum { TIMINGS = 2000, ROUNDS = 6, RUNS = 4 };

/* The mean number of runs in a timing that are drawn to be sampled. */
static double mean_of_sampled(const struct check_draws *draws)
{
    size_t sampled = 0;

    for (size_t i = 0; i < TIMINGS * ROUNDS * RUNS; i++)
        sampled += check_draws_take(draws, i % RUNS, RUNS, RUNS) == CHECK_SAMPLE;
    return (double)sampled / TIMINGS;
}

/* Runs that cost no time of the oracle are drawn more often than the oracle could verify. */
static void more_runs_are_drawn_where_values_are_known(void **state)
{
    const struct expectation *known[EXPECTATIONS_TIMED];
    const struct check_draws draws = {.known = known, .sample = 1, .least_rounds = ROUNDS};
    double few, many;

    (void)state;
    set_known(known, 0);
    few = mean_of_sampled(&draws);
    set_known(known, EXPECTATIONS_SAMPLED);
    many = mean_of_sampled(&draws);
    assert_true(few > 1.5 && few < 2.2);
    assert_true(many > EXPECTATIONS_SAMPLED && many < EXPECTATIONS_SAMPLED + 1.2);
}

/* The last run of the last round is secret, and one of every few rounds before. */
static void the_last_run_is_secret(void **state)
{
    const struct expectation *known[EXPECTATIONS_TIMED];
    struct check_draws draws = {.known = known, .sample = 1, .least_rounds = 5};

    (void)state;
    set_known(known, 0);
    assert_int_equal(check_draws_secret(&draws, RUNS), RUNS);
    draws.since_secret = CHECK_DRAWS_ROUNDS - 1;
    assert_true(check_draws_secret(&draws, RUNS) < RUNS);
    draws.is_last = true;
    assert_int_equal(check_draws_secret(&draws, RUNS), RUNS - 1);
    assert_int_equal(check_draws_take(&draws, RUNS - 1, RUNS - 1, RUNS), CHECK_AGAIN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_values_are_used_once),
        cmocka_unit_test(more_runs_are_drawn_where_values_are_known),
        cmocka_unit_test(the_last_run_is_secret),
    };

    return cmocka_run_group_tests_name("check_draws", tests, NULL, NULL);
}
