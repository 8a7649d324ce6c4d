#include "tests/unit/unit.h"

#include "core/judge/timing/closer_look.h"

enum { RUNS = 16 };

/* The times of runs of an honest kernel of 3,000 us; without launches a run takes 800 us. */
static void make_honest(struct closer_look_run with[RUNS], struct closer_look_run without[RUNS])
{
    for (int i = 0; i < RUNS; i++) {
        without[i] = (struct closer_look_run){800 + i % 3, 0};
        with[i] = (struct closer_look_run){3820 + i % 5, 3000};
    }
}

static void a_true_report_leaves_nothing(void **state)
{
    struct closer_look_run with[RUNS], without[RUNS];

    (void)state;
    make_honest(with, without);
    assert_true(closer_look_beyond_us(with, without, RUNS) < 0);
}

/* The device runs another program half of the time: its clock sees that as well. */
static void another_program_delays_the_report_too(void **state)
{
    struct closer_look_run with[RUNS], without[RUNS];

    (void)state;
    make_honest(with, without);
    for (int i = 0; i < RUNS; i++) {
        with[i].wall_us += 3000 + 300;
        with[i].reported_us += 3000;
        without[i].wall_us += i % 4 ? 0 : 2000;
    }
    assert_true(closer_look_beyond_us(with, without, RUNS) < 0);
}

static void a_false_report_is_found(void **state)
{
    struct closer_look_run with[RUNS], without[RUNS];

    (void)state;
    make_honest(with, without);
    for (int i = 0; i < RUNS; i++)
        with[i].reported_us = 500;
    assert_true(closer_look_beyond_us(with, without, RUNS) > 2000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_true_report_leaves_nothing),
        cmocka_unit_test(another_program_delays_the_report_too),
        cmocka_unit_test(a_false_report_is_found),
    };

    return cmocka_run_group_tests_name("closer_look", tests, NULL, NULL);
}
