#include "tests/unit/unit.h"

#include <math.h>
#include <string.h>

#include "core/judge/stats/program_rounds.h"

static const struct thread_work one_thread = {300, 300, 1}, two_threads = {600, 310, 2};

static struct program_rounds rounds_of(const struct run_time *runs, size_t count, bool shares_work)
{
    struct program_rounds rounds = {.shares_work = shares_work};

    for (size_t i = 0; i < count; i++)
        program_rounds_add(&rounds, i, &runs[i], 1);
    return rounds;
}

static void a_quiet_machine_gives_the_time_on_the_clock(void **state)
{
    const struct run_time runs[] = {{400, {600, 310, 2}}};
    struct program_rounds rounds = rounds_of(runs, 1, true);

    (void)state;
    assert_true(program_rounds_us(&rounds, 0, false) == 400);
}

/*
 * In the first round one of the two threads got no core, so the other one did all the work. The
 * second shows that the work can be divided, but not quite evenly.
 */
static void a_busy_one_gives_the_work_of_a_thread(void **state)
{
    const struct run_time runs[] = {{9000, {600, 600, 1}}, {5000, two_threads}};
    struct program_rounds shared = rounds_of(runs, 2, true), divided = rounds_of(runs, 2, false);

    (void)state;
    assert_true(fabs(program_rounds_us(&shared, 0, true) - 310) < 1e-9);
    assert_true(fabs(program_rounds_us(&shared, 1, true) - 310) < 1e-9);
    assert_true(program_rounds_us(&divided, 1, true) == 310);
}

/* No thread but one got a core in any run: the launches' sizes tell how many would work. */
static void sizes_tell_how_many_threads_would_work(void **state)
{
    const struct run_time runs[] = {{9000, {600, 600, 1}}, {7000, {620, 620, 1}}};
    struct program_rounds rounds = rounds_of(runs, 2, true);

    (void)state;
    assert_true(program_rounds_us(&rounds, 0, true) == 600);
    rounds.core_share = 0.5;
    assert_true(program_rounds_us(&rounds, 0, true) == 300);
    assert_true(program_rounds_us(&rounds, 0, false) == 9000);
}

/*
 * Groups may take unequally long: as long as one thread did all the work of every run, the program
 * may need twice the time, and a run in which two shared it proves that it does not.
 */
static void an_even_division_is_doubted_until_seen(void **state)
{
    const struct run_time runs[] = {{9000, {600, 600, 1}}, {5000, {600, 300, 2}}};
    struct program_rounds unseen = rounds_of(runs, 1, true), seen = rounds_of(runs, 2, true);

    (void)state;
    assert_true(program_rounds_doubt(&unseen) == 1); /* by threads, not by sizes */
    unseen.core_share = seen.core_share = 0.5;
    assert_true(program_rounds_doubt(&unseen) == 2);
    assert_true(program_rounds_doubt(&seen) == 1);
    unseen.core_share = 1;
    assert_true(program_rounds_doubt(&unseen) == 1);
    unseen.core_share = 0.5;
    unseen.is_even = true;
    assert_true(program_rounds_doubt(&unseen) == 1);
}

/* A launch costs more CPU time than a very short kernel. Work that is unknown changes nothing. */
static void the_clock_is_an_upper_bound(void **state)
{
    const struct run_time runs[] = {{20, one_thread}, {70, {0, 0, 0}}};
    struct program_rounds rounds = rounds_of(runs, 2, true);

    (void)state;
    assert_true(program_rounds_us(&rounds, 0, true) == 20);
    assert_true(program_rounds_us(&rounds, 1, true) == 70);
}

static void a_round_is_the_median_of_its_runs(void **state)
{
    const struct run_time runs[] = {{5, {9, 3, 1}}, {1, {7, 4, 2}}, {3, {8, 5, 1}}};
    struct program_rounds rounds = {0};

    (void)state;
    program_rounds_add(&rounds, 0, runs, 3);
    assert_true(rounds.items[0].median.us == 3);
    assert_true(rounds.items[0].median.work.total_us == 8);
    assert_true(rounds.items[0].median.work.longest_us == 4);
    assert_int_equal(rounds.items[0].median.work.threads, 2);
}

static void pairs_are_of_the_same_round(void **state)
{
    const struct run_time runs[] = {{.us = 1}, {.us = 2}, {.us = 3}, {.us = 4}};
    struct program_rounds own = rounds_of(runs, 4, false), other = {0};
    double ours[PROGRAM_ROUNDS_MAX], theirs[PROGRAM_ROUNDS_MAX];

    (void)state;
    program_rounds_add(&other, 1, &runs[0], 1);
    program_rounds_add(&other, 3, &runs[1], 1);
    program_rounds_add(&other, 7, &runs[2], 1);
    assert_int_equal(program_rounds_pair(&own, &other, false, ours, theirs), 2);
    assert_true(ours[0] == 2 && theirs[0] == 1 && ours[1] == 4 && theirs[1] == 2);
}

/* Repeated runs are kept apart, the last ones if there are many. */
static void all_runs_are_kept(void **state)
{
    const struct run_time run = {900, {800, 600, 2}}, repeated = {300, {200, 150, 2}};
    struct program_rounds rounds = {.shares_work = true, .core_share = 0.5};
    double times[PROGRAM_RUNS_MAX];

    (void)state;
    program_rounds_add(&rounds, 0, &run, 1);
    program_rounds_add_repeats(&rounds, &repeated, 1);
    assert_int_equal(program_rounds_times(&rounds, &rounds.fresh, DIVISION_EXPECTED, times), 1);
    assert_true(times[0] == 400);
    assert_int_equal(program_rounds_times(&rounds, &rounds.fresh, DIVISION_SEEN, times), 1);
    assert_true(times[0] == 600);
    assert_int_equal(program_rounds_times(&rounds, &rounds.repeated, DIVISION_EXPECTED, times), 1);
    assert_true(times[0] == 100);
    assert_int_equal(rounds.count, 1);
    for (size_t i = 0; i < PROGRAM_RUNS_MAX; i++)
        program_rounds_add_repeats(&rounds, &repeated, 1);
    assert_int_equal(program_rounds_times(&rounds, &rounds.repeated, DIVISION_EXPECTED, times),
                     PROGRAM_RUNS_MAX);
    program_rounds_clear(&rounds);
    assert_int_equal(program_rounds_times(&rounds, &rounds.repeated, DIVISION_EXPECTED, times), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_quiet_machine_gives_the_time_on_the_clock),
        cmocka_unit_test(a_busy_one_gives_the_work_of_a_thread),
        cmocka_unit_test(sizes_tell_how_many_threads_would_work),
        cmocka_unit_test(an_even_division_is_doubted_until_seen),
        cmocka_unit_test(the_clock_is_an_upper_bound),
        cmocka_unit_test(a_round_is_the_median_of_its_runs),
        cmocka_unit_test(pairs_are_of_the_same_round),
        cmocka_unit_test(all_runs_are_kept),
    };

    return cmocka_run_group_tests_name("program_rounds", tests, NULL, NULL);
}
