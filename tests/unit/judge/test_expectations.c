#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/judge/task/expectations.h"
#include "core/model/problem_reader.h"
#include "core/system/disk_memory.h"
#include "tests/unit/disk_fixture.h"

/* Expected outputs rest on the disk until they are taken. */

static const char text[] =
    "{\"kforge\": 1, \"name\": \"p\", \"summary\": \"\", \"dims\": {\"N\": 140000},"
    "\"tensors\": {\"x\": {\"role\": \"input\", \"dtype\": \"i32\", \"shape\": [\"N\"],"
    "\"fill\": {\"integers\": [1, 2]}},"
    "\"y\": {\"role\": \"output\", \"dtype\": \"i32\", \"shape\": [\"N\"]}},"
    "\"graph\": [{\"op\": \"add\", \"in\": [\"x\", \"x\"], \"out\": \"y\"}],"
    "\"tolerance\": {\"class\": \"f32\"}}";

enum { OUTPUT = 1, ELEMENTS = 140000 };

static const double *elements_of(const struct expectation *expectation)
{
    return expectation->outputs[OUTPUT].elements;
}

static const double *take(struct expectations *expectations, unsigned trial)
{
    const struct expectation *taken = NULL;
    struct error err;

    assert_int_equal(expectations_take(expectations, EXPECTATIONS_MAIN, trial, &taken, &err),
                     STATUS_OK);
    return elements_of(taken);
}

/* Elements of both pieces of the oracle's, and between them. */
static void check(const double *elements)
{
    for (size_t i = 0; i < ELEMENTS; i += 1000)
        if (!(elements[i] >= 2 && elements[i] <= 4))
            fail_msg("element %zu is %g", i, elements[i]);
}

static void check_trials(struct expectations *expectations)
{
    const double *first = take(expectations, 0), *second;

    check(first);
    assert_true(disk_fixture_is_resident(first + ELEMENTS / 2));
    second = take(expectations, 1);
    assert_false(disk_fixture_is_resident(first + ELEMENTS / 2));
    assert_false(disk_fixture_is_resident(second + ELEMENTS / 2));
    check(second);
    check(first);
}

/* The ones of a sampled run are needed at once. */
static void check_computed(struct expectations *expectations)
{
    struct expectation computed = {0};
    struct error err;

    assert_int_equal(expectations_compute(expectations, 1, &computed, &err), STATUS_OK);
    expected_outputs_rest(&expectations_case(expectations, EXPECTATIONS_MAIN)->graph,
                          computed.outputs);
    assert_true(disk_fixture_is_resident(elements_of(&computed) + ELEMENTS / 2));
    check(elements_of(&computed));
    expectations_release(expectations, &computed);
}

static void expected_outputs_rest_until_they_are_taken(void **state)
{
    struct problem problem = {0};
    struct expectations *made = NULL;
    struct error err;

    (void)state;
    disk_fixture_need_disk();
    assert_int_equal(problem_parse(&problem, text, sizeof(text) - 1, "p.json", &err), STATUS_OK);
    assert_int_equal(
        expectations_new(&(struct expectations_options){.problem = &problem, .trials = 2}, &made,
                         &err),
        STATUS_OK);
    assert_int_equal(expectations_start(made, &err), STATUS_OK);
    check_trials(made);
    check_computed(made);
    expectations_free(made);
    problem_release(&problem);
}

/* Remove the files of a lock. */
static void remove_files(const char *path)
{
    static const char *const endings[] = {"", ".next", ".alone"};
    char name[80];

    for (size_t i = 0; i < 3; i++) {
        snprintf(name, sizeof(name), "%s%s", path, endings[i]);
        assert_int_equal(unlink(name), 0);
    }
}

/* The lint works on the CPU, so no session's timing on a GPU keeps another one's from its end. */
static void a_lint_beside_a_gpu_waits_for_no_turn(void **state)
{
    static const struct turn_patience endless = {.fd = -1};
    char folder[] = "/tmp/kforge-expectations-XXXXXX", path[64];
    struct problem problem = {0};
    struct expectations *made = NULL;
    struct turn_lock *other, *own;
    int64_t waited_us;
    struct error err;

    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/lock", folder);
    other = turn_lock_new(path);
    own = turn_lock_new(path);
    assert_true(turn_lock_take(other, TURN_ALONE, &endless, &waited_us));
    assert_int_equal(problem_parse(&problem, text, sizeof(text) - 1, "p.json", &err), STATUS_OK);
    assert_int_equal(
        expectations_new(
            &(struct expectations_options){.problem = &problem, .trials = 2, .turns = own}, &made,
            &err),
        STATUS_OK);
    assert_int_equal(expectations_start(made, &err), STATUS_OK);
    assert_int_equal(expectations_findings(made)->count, 0);
    expectations_free(made);
    problem_release(&problem);
    turn_lock_free(own);
    turn_lock_free(other);
    remove_files(path);
    assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(expected_outputs_rest_until_they_are_taken),
        cmocka_unit_test(a_lint_beside_a_gpu_waits_for_no_turn),
    };

    return cmocka_run_group_tests_name("expectations", tests, disk_fixture_open,
                                       disk_fixture_close);
}
