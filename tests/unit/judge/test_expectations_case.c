#include "tests/unit/unit.h"

#include <stdio.h>

#include "core/base/strbuf.h"
#include "core/judge/task/expectations_case.h"
#include "core/model/problem_reader.h"

/* The sizes that the judge draws for the dynamic dimensions of a problem. */

enum { KINDS = 4, LOWERED = 3, ROUNDS = 20 };

/* A matrix of M rows; `op` makes the output from it, which has `shape`. */
static void read_problem(struct problem *problem, const char *dynamic, const char *op,
                         const char *shape)
{
    struct strbuf text = {0};
    struct error err;

    strbuf_addf(&text,
                "{\"kforge\": 1, \"name\": \"p\", \"summary\": \"\","
                "\"dims\": {\"M\": 90, \"N\": 70}, \"dynamic\": [%s], \"tensors\": {"
                "\"x\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [1, \"M\", \"N\"],"
                " \"fill\": {\"normal\": [0, 1]}},"
                "\"y\": {\"role\": \"output\", \"dtype\": \"f32\", \"shape\": [%s]}},"
                "\"graph\": [{\"in\": [\"x\"], \"out\": \"y\", %s}],"
                "\"tolerance\": {\"class\": \"f32\"}}",
                dynamic, shape, op);
    if (problem_parse(problem, strbuf_cstr(&text), text.len, "p.json", &err))
        fail_msg("%s", err.text);
    strbuf_release(&text);
}

/* Draw sizes of a kind; the values of M and N. */
static void draw(const struct problem *problem, unsigned kind, int64_t values[2])
{
    struct expectations_case shape;
    struct error err;

    if (expectations_case_drawn(&shape, problem, kind, NULL, &err))
        fail_msg("%s", err.text);
    values[0] = shape.bindings[0].value;
    values[1] = shape.bindings[1].value;
    expectations_case_release(&shape);
}

/* A batch of one is the most common one in use. */
static void one_dimension_is_one(void **state)
{
    struct problem one = {0}, two = {0};
    int64_t values[2];

    (void)state;
    read_problem(&one, "\"M\"", "\"op\": \"relu\"", "1, \"M\", \"N\"");
    read_problem(&two, "\"M\", \"N\"", "\"op\": \"relu\"", "1, \"M\", \"N\"");
    for (int i = 0; i < ROUNDS; i++) {
        draw(&one, LOWERED, values);
        assert_true(values[0] == 1 && values[1] == 70);
        draw(&two, LOWERED + KINDS, values);
        assert_true((values[0] == 1) != (values[1] == 1));
        draw(&one, 0, values);
        assert_true(values[0] > 90 && values[1] == 70);
    }
    problem_release(&one);
    problem_release(&two);
}

/* A window of seven does not fit into fewer elements. */
static void windows_fit(void **state)
{
    struct problem problem = {0};
    int64_t values[2];

    (void)state;
    read_problem(&problem, "\"N\"",
                 "\"op\": \"max_pool1d\", \"kernel_size\": 7, \"stride\": 1, \"padding\": 0",
                 "1, \"M\", \"N - 6\"");
    for (int i = 0; i < ROUNDS; i++) {
        draw(&problem, LOWERED, values);
        assert_true(values[0] == 90 && values[1] == 7);
    }
    problem_release(&problem);
}

/* The values of M that cases have, and the texts "M=4 N=70" of these. */
static bool is_seen(const void *data, const char *text)
{
    const bool *seen = data;
    int m = 0;

    assert_int_equal(sscanf(text, "M=%d", &m), 1);
    return seen[m];
}

/* A kernel that is wrong for three rows of four is tried on three rows. */
static void few_values_are_all_drawn(void **state)
{
    bool seen[8] = {[1] = true, [4] = true};
    const struct expectations_cases_known known = {is_seen, seen};
    struct problem problem = {0};

    (void)state;
    read_problem(&problem, "\"M\"", "\"op\": \"relu\"", "1, \"M\", \"N\"");
    problem.dims.items[0].value = 4;
    for (unsigned kind = 0; kind < KINDS; kind++) {
        struct expectations_case shape;

        assert_int_equal(expectations_case_drawn(&shape, &problem, kind, &known, NULL), STATUS_OK);
        seen[shape.bindings[0].value] = true;
        expectations_case_release(&shape);
    }
    assert_true(seen[2] && seen[3] && seen[5]);
    problem_release(&problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_dimension_is_one),
        cmocka_unit_test(windows_fit),
        cmocka_unit_test(few_values_are_all_drawn),
    };

    return cmocka_run_group_tests_name("expectations_case", tests, NULL, NULL);
}
