#include "tests/unit/unit.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fast_baseline_runs_several_times_at_first),
        cmocka_unit_test(a_slow_baseline_takes_a_small_share_of_the_time),
        cmocka_unit_test(a_broken_baseline_never_runs),
    };

    return cmocka_run_group_tests_name("baseline", tests, NULL, NULL);
}
