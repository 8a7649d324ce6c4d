#include "tests/unit/unit.h"

#include "core/judge/batches/launch_times.h"

enum { LAUNCHES = 2 };

static void note(struct launch_times *times, size_t round, double first_us, double second_us)
{
    times->last_us[0] = first_us;
    times->last_us[1] = second_us;
    launch_times_note(times, round);
}

static void a_round_has_the_mean_of_its_runs(void **state)
{
    double rounds_us[2 * LAUNCHES] = {0};
    struct launch_times times;

    (void)state;
    launch_times_begin(&times, LAUNCHES, 4, rounds_us);
    assert_false(times.are_aside || launch_times_are_due(&times, 0));
    note(&times, 0, 1, 10);
    note(&times, 0, 3, 30);
    times.runs = 0;
    note(&times, 1, 5, 50);
    assert_true(rounds_us[0] == 2 && rounds_us[1] == 20);
    assert_true(rounds_us[2] == 5 && rounds_us[3] == 50);
    launch_times_release(&times);
}

/* A warm-up run has timed the launches, or else one run in the first round does. */
static void on_a_gpu_other_runs_time_several_launches(void **state)
{
    double rounds_us[2 * LAUNCHES] = {0};
    struct launch_times times;

    (void)state;
    launch_times_begin(&times, LAUNCHES, 0, rounds_us);
    assert_true(times.are_aside && launch_times_are_due(&times, 0));
    note(&times, 0, 1, 10);
    assert_false(launch_times_are_due(&times, 0));
    times.runs = 0;
    assert_false(launch_times_are_due(&times, 1));
    assert_true(rounds_us[2] == 1 && rounds_us[3] == 10);
    launch_times_release(&times);
    launch_times_begin(&times, 1, 0, rounds_us);
    assert_false(times.are_aside);
    launch_times_release(&times);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_round_has_the_mean_of_its_runs),
        cmocka_unit_test(on_a_gpu_other_runs_time_several_launches),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
