#include "tests/unit/unit.h"

#include <math.h>

#include "core/judge/stats/baseline.h"

static unsigned take_while_due(struct baseline *baseline, double cost_us)
{
    unsigned taken = 0;

    while (baseline_is_due(baseline)) {
        baseline_add(baseline, 100, cost_us);
        taken++;
    }
    return taken;
}

static void a_fast_baseline_runs_several_times_at_first(void **state)
{
    struct baseline baseline = {0};

    (void)state;
    assert_int_equal(take_while_due(&baseline, 1000), BASELINE_FIRST);
    assert_true(baseline_estimate(&baseline).median_us == 100);
}

/* Twenty evaluations of 1 s each permit one or two runs of a baseline that takes 0.5 s. */
static void a_slow_baseline_takes_a_small_share_of_the_time(void **state)
{
    struct baseline baseline = {0};
    unsigned taken = 0;

    (void)state;
    assert_int_equal(take_while_due(&baseline, 500000), 2);
    for (unsigned i = 0; i < 20; i++) {
        baseline_allow(&baseline, 1000000);
        taken += take_while_due(&baseline, 500000);
    }
    assert_in_range(taken, 1, 2);
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

    for (unsigned i = 0; i < BASELINE_FIRST; i++)
        baseline_add(&baseline, us, 1000);
    return baseline;
}

/* A clock that sees nothing of the work, as on a GPU's wrong stream, gives such times. */
static void times_that_cannot_be_are_rejected_with_the_reason(void **state)
{
    static const struct {
        double us;
        const char *reason;
    } cases[] = {
        {0, "its time is 0 us: the clock did not see its work"},
        {-0.06, "its time is -0.06 us: the clock did not see its work"},
        {0.03,
         "its time is 0.03 us, but nothing correct takes less than 5 us: the clock did not see "
         "its work"},
        {(double)NAN, "a run took nan us, which is no time"},
        {(double)INFINITY, "a run took inf us, which is no time"},
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
    baseline_add(&slow, -3, 1000); /* one sample in the noise of the clock */
    assert_int_equal(baseline_check(&slow, 5, &why), STATUS_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fast_baseline_runs_several_times_at_first),
        cmocka_unit_test(a_slow_baseline_takes_a_small_share_of_the_time),
        cmocka_unit_test(a_broken_baseline_never_runs),
        cmocka_unit_test(times_that_cannot_be_are_rejected_with_the_reason),
        cmocka_unit_test(other_times_are_accepted),
    };

    return cmocka_run_group_tests_name("baseline", tests, NULL, NULL);
}
