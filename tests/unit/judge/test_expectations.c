#include "tests/unit/unit.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(expected_outputs_rest_until_they_are_taken),
    };

    return cmocka_run_group_tests_name("expectations", tests, disk_fixture_open,
                                       disk_fixture_close);
}
