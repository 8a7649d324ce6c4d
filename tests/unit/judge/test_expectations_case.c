#include "tests/unit/unit.h"

#include <stdio.h>

#include "core/base/strbuf.h"
#include "core/judge/task/expectations_case.h"
#include "core/model/problem_reader.h"

/* The sizes that the judge draws for the dynamic dimensions of a problem. */

enum { LOWERED = 3, ROUNDS = 20 };

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

/* Draw the sizes of an index; the values of M and N. */
static void draw_with(const struct problem *problem, uint64_t secret, unsigned kind,
                      int64_t values[2])
{
    const struct expectations_draws draws = {.secret = secret};
    struct expectations_case shape;
    struct error err;

    if (expectations_case_drawn(&shape, problem, kind, &draws, &err))
        fail_msg("%s", err.text);
    values[0] = shape.bindings[0].value;
    values[1] = shape.bindings[1].value;
    expectations_case_release(&shape);
}

static void draw(const struct problem *problem, unsigned kind, int64_t values[2])
{
    draw_with(problem, 1, kind, values);
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
        draw(&two, LOWERED, values);
        assert_true((values[0] == 1) != (values[1] == 1));
        draw(&one, 0, values);
        assert_true(values[0] > 90 + 90 / 16 && values[1] == 70);
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

/*
 * A kernel that is wrong at one remainder by sixteen, such as at 2 mod 16 or at 7 mod 8, is tried
 * there in each dimension, whatever the secret.
 */
static void remainders_are_all_drawn(void **state)
{
    struct problem problem = {0};
    int64_t values[2];

    (void)state;
    read_problem(&problem, "\"M\", \"N\"", "\"op\": \"relu\"", "1, \"M\", \"N\"");
    for (uint64_t secret = 0; secret < ROUNDS; secret++) {
        unsigned seen[2] = {0}, alike = 0, ones = 0, equal = 0;

        for (unsigned i = 0; i < EXPECTATIONS_REMAINDERS; i++) {
            draw_with(&problem, secret, EXPECTATIONS_KINDS + i, values);
            assert_true(values[0] >= 1 && values[0] <= 90 && values[1] >= 1 && values[1] <= 70);
            seen[0] |= 1U << values[0] % EXPECTATIONS_REMAINDERS;
            seen[1] |= 1U << values[1] % EXPECTATIONS_REMAINDERS;
            alike += values[0] % EXPECTATIONS_REMAINDERS == values[1] % EXPECTATIONS_REMAINDERS;
            ones += values[0] == 1 && values[1] == 1;
            equal += values[0] == values[1] && values[0] % EXPECTATIONS_REMAINDERS == 9;
            if (i == EXPECTATIONS_REMAINDERS / 2 - 1)
                assert_int_equal((seen[0] | seen[0] >> 8) & 0xff, 0xff);
        }
        assert_int_equal(seen[0], 0xffff);
        assert_int_equal(seen[1], 0xffff);
        if (ones != 1 || equal != 1)
            fail_msg("secret %d: %u times ones, %u times equal", (int)secret, ones, equal);
        if (alike == EXPECTATIONS_REMAINDERS)
            fail_msg("secret %d: both dimensions have the same remainders", (int)secret);
    }
    problem_release(&problem);
}

/* Sizes that are too small for a window are raised, and keep their remainders. */
static void remainders_fit_windows(void **state)
{
    struct problem problem = {0};
    unsigned seen = 0;

    (void)state;
    read_problem(&problem, "\"N\"",
                 "\"op\": \"max_pool1d\", \"kernel_size\": 7, \"stride\": 1, \"padding\": 0",
                 "1, \"M\", \"N - 6\"");
    for (unsigned i = 0; i < EXPECTATIONS_REMAINDERS; i++) {
        int64_t values[2];

        draw(&problem, EXPECTATIONS_KINDS + i, values);
        assert_true(values[1] >= 7);
        seen |= 1U << values[1] % EXPECTATIONS_REMAINDERS;
    }
    assert_int_equal(seen, 0xffff);
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
    const struct expectations_draws draws = {.has = is_seen, .data = seen};
    struct problem problem = {0};

    (void)state;
    read_problem(&problem, "\"M\"", "\"op\": \"relu\"", "1, \"M\", \"N\"");
    problem.dims.items[0].value = 4;
    for (unsigned kind = 0; kind < EXPECTATIONS_KINDS; kind++) {
        struct expectations_case shape;

        assert_int_equal(expectations_case_drawn(&shape, &problem, kind, &draws, NULL), STATUS_OK);
        seen[shape.bindings[0].value] = true;
        expectations_case_release(&shape);
    }
    assert_true(seen[2] && seen[3] && seen[5]);
    problem_release(&problem);
}

/*
 * Blocks of 64 elements are wrong at the last element of a block more often than elsewhere: at half
 * of the evaluations a small size is tried there, and at half a size above the main one.
 */
static void sizes_end_before_blocks_do(void **state)
{
    enum { EVALUATIONS = 200, LEAST = 50 };
    struct problem problem = {0};
    unsigned small = 0, large = 0;
    int64_t values[2];

    (void)state;
    read_problem(&problem, "\"M\"", "\"op\": \"relu\"", "1, \"M\", \"N\"");
    for (uint64_t secret = 0; secret < EVALUATIONS; secret++) {
        bool is_met = false;

        problem.dims.items[0].value = 90;
        for (unsigned i = 0; i < EXPECTATIONS_REMAINDERS; i++) {
            draw_with(&problem, secret, EXPECTATIONS_KINDS + i, values);
            is_met |= values[0] % 64 == 63;
        }
        small += is_met;
        problem.dims.items[0].value = 3000;
        draw_with(&problem, secret, 0, values);
        assert_true(values[0] > 3000 && values[0] <= 3376);
        large += values[0] % 64 == 63;
    }
    assert_true(small >= LEAST && large >= LEAST);
    problem_release(&problem);
}

/* Each dynamic dimension is once far above its main value, as far as that costs little. */
static void each_dimension_is_large_once(void **state)
{
    struct problem cheap = {0}, dear = {0};
    struct expectations_case shape, none;
    bool is_drawn;

    (void)state;
    read_problem(&cheap, "\"M\", \"N\"", "\"op\": \"exp\"", "1, \"M\", \"N\"");
    read_problem(&dear, "\"M\"", "\"op\": \"exp\"", "1, \"M\", \"N\"");
    dear.dims.items[1].value = 1 << 24;
    assert_int_equal(expectations_case_dynamic(&cheap), 2);
    for (size_t number = 0; number < 2; number++) {
        assert_int_equal(expectations_case_larger(&shape, &cheap, number, &is_drawn, NULL), 0);
        assert_true(is_drawn);
        assert_in_range(shape.bindings[number].value, 4096, 4608);
        assert_in_range(shape.bindings[1 - number].value, 1, 8);
        expectations_case_release(&shape);
    }
    for (size_t i = 0; i < 2; i++) {
        dear.dims.items[0].value = i ? 1 : 90;
        assert_int_equal(expectations_case_larger(&none, &dear, 0, &is_drawn, NULL), 0);
        assert_false(is_drawn);
    }
    problem_release(&cheap);
    problem_release(&dear);
}

/* Other dimensions give way before a dimension is less than twice its main value. */
static void a_large_dimension_comes_before_those_beside(void **state)
{
    struct problem problem = {0};
    struct expectations_case shape;
    bool is_drawn;

    (void)state;
    read_problem(&problem, "\"M\", \"N\"", "\"op\": \"exp\"", "1, \"M\", \"N\"");
    problem.dims.items[0].value = 100000;
    for (size_t i = 0; i < 10; i++) {
        assert_int_equal(expectations_case_larger(&shape, &problem, 0, &is_drawn, NULL), 0);
        assert_true(is_drawn && shape.bindings[0].value > 200000);
        expectations_case_release(&shape);
    }
    problem_release(&problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_dimension_is_large_once),
        cmocka_unit_test(a_large_dimension_comes_before_those_beside),
        cmocka_unit_test(one_dimension_is_one),
        cmocka_unit_test(windows_fit),
        cmocka_unit_test(remainders_are_all_drawn),
        cmocka_unit_test(remainders_fit_windows),
        cmocka_unit_test(few_values_are_all_drawn),
        cmocka_unit_test(sizes_end_before_blocks_do),
    };

    return cmocka_run_group_tests_name("expectations_case", tests, NULL, NULL);
}
