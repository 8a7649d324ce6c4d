#include "tests/unit/unit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/mem.h"
#include "core/base/vec.h"
#include "core/judge/timing/timing_result.h"
#include "core/model/baseline_label.h"

/* Eight rounds: the candidate's two threads shared the work of one run, those of the rival's none.
 */
static void add_rounds(struct timing_result *result)
{
    const struct run_time shared = {5000, {600, 300, 2}}, alone = {9000, {600, 600, 1}},
                          rival = {20000, {1200, 1200, 1}};

    for (size_t round = 0; round < 8; round++) {
        program_rounds_add(&result->own, round, round ? &alone : &shared, 1);
        program_rounds_add(&result->rivals[TIMING_BEST], round, &rival, 1);
    }
}

static void make(struct timing_result *result, double waited_us, struct verdict *verdict)
{
    const struct companion_run rivals[TIMING_RIVALS] = {{20000, 0.5}, {0, 0}};
    const struct launch_list none = {0};
    struct comparison plain = {
        .name = mem_strdup(BASELINE_PLAIN), .speedup = 3, .speedup_low = 2, .speedup_high = 4};

    timing_result_begin(result, 0.5, rivals);
    add_rounds(result);
    result->samples[result->count++] = 100;
    timing_result_load(result, &(struct thread_load){1000, waited_us},
                       &(struct thread_load){1000, waited_us});
    timing_result_keep(result, &none, verdict);
    vec_push(&verdict->against, plain);
    timing_result_report_load(result, verdict);
}

static void a_verdict_says_that_other_programs_ran(void **state)
{
    struct timing_result *result = mem_alloc_zeroed(1, sizeof(*result));
    struct verdict verdict = {0};

    (void)state;
    make(result, 4000, &verdict);
    assert_int_equal(verdict.hazards.count, 1);
    assert_string_equal(verdict.hazards.items[0].name, "measured_at_load");
    assert_non_null(strstr(verdict.hazards.items[0].evidence, "80 % of the time"));
    verdict_release(&verdict);
    timing_result_release(result);
    free(result);
}

/* Nothing shows that two threads share a program's work evenly in most of its runs. */
static void what_load_hides_widens_the_interval(void **state)
{
    struct timing_result *result = mem_alloc_zeroed(1, sizeof(*result));
    struct verdict verdict = {0};
    const struct comparison *best, *plain;

    (void)state;
    make(result, 4000, &verdict);
    best = &verdict.against.items[0];
    plain = &verdict.against.items[1];
    assert_string_equal(best->name, BASELINE_BEST);
    assert_true(fabs(best->speedup - 2) < 1e-9 && fabs(best->speedup_high - 4) < 1e-9);
    assert_true(fabs(best->speedup_low - 1) < 1e-9);
    assert_true(plain->speedup_low == 2 && plain->speedup_high == 4);
    verdict_release(&verdict);
    timing_result_release(result);
    free(result);
}

/*
 * From the first sign of other programs on runs are watched. What runs before seemed to show of the
 * division of work does not count.
 */
static void other_programs_have_runs_watched(void **state)
{
    const struct thread_load waiting = {1000, 4000}, working = {1000, 10};
    struct timing_result *result = mem_alloc_zeroed(1, sizeof(*result));

    (void)state;
    add_rounds(result);
    timing_result_load(result, &waiting, &working);
    assert_true(result->is_busy && !result->is_watched && result->own.least_share > 0);
    timing_result_load(result, &waiting, &waiting);
    assert_true(result->is_watched && result->own.least_share == 0);
    add_rounds(result);
    timing_result_load(result, &waiting, &waiting);
    assert_true(result->own.least_share > 0);
    timing_result_load(result, &working, &working);
    assert_true(result->is_watched && !result->is_disturbed);
    free(result);
}

static void a_quiet_machine_leaves_the_clock(void **state)
{
    struct timing_result *result = mem_alloc_zeroed(1, sizeof(*result));
    struct verdict verdict = {0};

    (void)state;
    make(result, 40, &verdict);
    assert_int_equal(verdict.hazards.count, 0);
    assert_true(fabs(verdict.against.items[0].speedup - 20000.0 / 9000) < 1e-9);
    assert_true(verdict.against.items[1].speedup_low == 2);
    verdict_release(&verdict);
    timing_result_release(result);
    free(result);
}

/* Rounds in which the best takes `share` or, in turn, 1 / share of the candidate's time. */
static void a_ratio_is_clear_on_one_side_of_one(void **state)
{
    static const struct {
        double share[2];
        bool is_clear;
    } rows[] = {
        {{1.3, 1.2}, true}, {{0.8, 0.7}, true}, {{1.2, 0.8}, false}, {{1.004, 0.998}, true}};
    struct timing_result *result = mem_alloc_zeroed(1, sizeof(*result));

    (void)state;
    assert_true(timing_result_is_clear(result, 0.01));
    for (size_t i = 0; i < COUNT(rows); i++) {
        result->own.count = result->rivals[TIMING_BEST].count = 0;
        for (size_t round = 0; round < 8; round++) {
            program_rounds_add(&result->own, round, &(struct run_time){.us = 1000}, 1);
            program_rounds_add(&result->rivals[TIMING_BEST], round,
                               &(struct run_time){.us = 1000 * rows[i].share[round % 2]}, 1);
        }
        assert_int_equal(timing_result_is_clear(result, 0.01), rows[i].is_clear);
    }
    free(result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_verdict_says_that_other_programs_ran),
        cmocka_unit_test(what_load_hides_widens_the_interval),
        cmocka_unit_test(other_programs_have_runs_watched),
        cmocka_unit_test(a_quiet_machine_leaves_the_clock),
        cmocka_unit_test(a_ratio_is_clear_on_one_side_of_one),
    };

    return cmocka_run_group_tests_name("timing_result", tests, NULL, NULL);
}
