#include "tests/unit/unit.h"

#include <math.h>
#include <stdio.h>

#include "core/base/array.h"
#include "tests/unit/rounding_fixture.h"

/*
 * Tolerances of truth values that others select, as "or" and "and" do, of numbers at a limit, and
 * of elements that rounding may leave out.
 */

static const char choice_body[] =
    "\"tensors\": {\"x\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [100],"
    " \"fill\": {\"uniform\": [9.999999, 10.000001]}},"
    " \"y\": {\"role\": \"output\", \"dtype\": \"f32\", \"shape\": [100]}},"
    "\"graph\": [{\"op\": \"div\", \"in\": [\"x\", 3], \"out\": \"t\"},"
    " {\"op\": \"mul\", \"in\": [\"t\", 3], \"out\": \"p\"},"
    " {\"op\": \"gt\", \"in\": [\"p\", 10], \"out\": \"c\"},"
    " {\"op\": \"gt\", \"in\": [\"p\", %d], \"out\": \"d\"},"
    " {\"op\": \"where\", \"in\": [%s], \"out\": \"o\"},"
    " {\"op\": \"cast\", \"in\": [\"o\"], \"dtype\": \"f32\", \"out\": \"y\"}]";

/*
 * Assert that all results may be `all`, since each number is about 10 and may be on either side,
 * and that nothing else may be one of them.
 */
static void assert_may_be(double all, int compared, const char *joined)
{
    char body[768];
    double got[100];
    struct rounding_task t;

    snprintf(body, sizeof(body), choice_body, compared, joined);
    t = rounding_task_open("f32", body);
    for (size_t i = 0; i < 100; i++)
        got[i] = all;
    assert_true(rounding_task_error(&t, got) <= 1);
    got[0] = 3;
    assert_true(rounding_task_error(&t, got) > 1);
    rounding_task_close(&t);
}

/* Assert that all results are `all`, and no other truth value. */
static void assert_is(double all, int compared, const char *joined)
{
    char body[768];
    double got[100];
    struct rounding_task t;

    snprintf(body, sizeof(body), choice_body, compared, joined);
    t = rounding_task_open("f32", body);
    for (size_t i = 0; i < 100; i++)
        got[i] = all;
    assert_true(rounding_task_error(&t, got) <= 1);
    got[0] = 1 - all;
    assert_true(rounding_task_error(&t, got) > 1);
    rounding_task_close(&t);
}

static void either_of_two_may_be_true(void **state)
{
    (void)state;
    assert_may_be(1, 11, "\"c\", \"c\", \"d\"");
}

static void one_of_both_may_be_false(void **state)
{
    (void)state;
    assert_may_be(0, 9, "\"c\", \"d\", \"c\"");
}

/* What is exact decides alone: false and anything, true or anything. */
static void an_exact_operand_decides(void **state)
{
    (void)state;
    assert_is(0, 11, "\"c\", \"d\", \"c\"");
    assert_is(1, 9, "\"c\", \"c\", \"d\"");
}

static const char quantised_body[] =
    "\"tensors\": {\"x\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [400],"
    " \"fill\": {\"normal\": [0, 4]}},"
    " \"y\": {\"role\": \"output\", \"dtype\": \"i32\", \"shape\": [400]}},"
    "\"graph\": [{\"op\": \"mul\", \"in\": [\"x\", 31.7], \"out\": \"s\"},"
    " {\"op\": \"clamp\", \"in\": [\"s\"], \"out\": \"c\", \"min\": -128, \"max\": 127},"
    " {\"op\": \"cast\", \"in\": [\"c\"], \"out\": \"y\", \"dtype\": \"i32\"}]";

/* Whole numbers of 8 bits, of which the least is `least`. */
static double quantised_error(double least)
{
    struct rounding_task t = rounding_task_open("f32", quantised_body);
    double got[400], error;

    for (size_t i = 0; i < 400; i++)
        got[i] = trunc(fmin(fmax(rounding_task_given(&t, "x")[i] * 31.7, least), 127));
    error = rounding_task_error(&t, got);
    rounding_task_close(&t);
    return error;
}

/* An element beyond a limit is the limit itself, which nothing rounds. */
static void limits_are_exact(void **state)
{
    (void)state;
    assert_true(quantised_error(-128) <= 1);
    assert_true(quantised_error(-127) > 1);
}

static const char tiny_body[] =
    "\"tensors\": {\"x\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [400],"
    " \"fill\": {\"uniform\": [-2, -1]}},"
    " \"y\": {\"role\": \"output\", \"dtype\": \"f32\", \"shape\": [400]}},"
    "\"graph\": [{\"op\": \"clamp\", \"in\": [\"x\"], \"out\": \"c\", \"min\": "
    "9.313225746154785e-10},"
    " {\"op\": \"neg\", \"in\": [\"c\"], \"out\": \"y\"}]";

/* f16 has no 2^-30, although bf16 has, so a kernel that stores halves makes it 0. */
static void a_limit_that_f16_lacks_may_be_rounded(void **state)
{
    struct rounding_task t = rounding_task_open("mixed", tiny_body);
    double got[400] = {0};

    (void)state;
    assert_true(rounding_task_error(&t, got) <= 1);
    got[0] = 0x1p-20;
    assert_true(rounding_task_error(&t, got) > 1);
    rounding_task_close(&t);
}

/* The running sums of a row are about 1, 2, 3, 4, and elements from above 2 on are left out. */
static const char left_out_body[] =
    "\"tensors\": {\"x\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [100, 4],"
    " \"fill\": {\"uniform\": [0.9999, 1.0001]}}, \"zero\": {\"role\": \"param\", \"dtype\": "
    "\"f32\","
    " \"shape\": [], \"fill\": {\"constant\": 0}},"
    " \"y\": {\"role\": \"output\", \"dtype\": \"f32\", \"shape\": [100, 4]}},"
    "\"graph\": [{\"op\": \"add\", \"in\": [\"x\", \"zero\"], \"out\": \"b\"},"
    " {\"op\": \"cumsum\", \"in\": [\"b\"], \"dim\": 1, \"out\": \"s\"},"
    " {\"op\": \"gt\", \"in\": [\"s\", 2], \"out\": \"c\"}, %s"
    " {\"op\": \"where\", \"in\": [\"c\", %s, \"x\"], \"out\": \"z\"},"
    " {\"op\": \"softmax\", \"in\": [\"z\"], \"dim\": 1, \"out\": \"y\"}]";

/* The error if the rows of y are these numbers. */
static double error_of_rows(const struct rounding_task *task, double first, double second,
                            double third)
{
    double got[400] = {0};

    for (size_t i = 0; i < 400; i += 4) {
        got[i] = first;
        got[i + 1] = second;
        got[i + 2] = third;
    }
    return rounding_task_error(task, got);
}

/* Rounding decides whether the second element is left out, by the lowest number or an infinity. */
static void a_softmax_has_the_shares_of_either_choice(void **state)
{
    static const char *const ways[][2] = {
        {"", "-3.4028234663852886e38"},
        {"{\"op\": \"log\", \"in\": [\"zero\"], \"out\": \"none\"},", "\"none\""}};

    (void)state;
    for (size_t i = 0; i < COUNT(ways); i++) {
        char body[1024];
        struct rounding_task t;

        snprintf(body, sizeof(body), left_out_body, ways[i][0], ways[i][1]);
        t = rounding_task_open("mixed", body);
        assert_true(error_of_rows(&t, 0.5, 0.5, 0) <= 1);
        assert_true(error_of_rows(&t, 1, 0, 0) <= 1);
        assert_true(error_of_rows(&t, 0.2, 0.5, 0) > 1);
        assert_true(error_of_rows(&t, 0.5, 0.9, 0) > 1);
        assert_true(error_of_rows(&t, 0.5, 0.5, 0.1) > 1);
        rounding_task_close(&t);
    }
}

static const char tied_body[] =
    "\"tensors\": {\"x\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [100, 4],"
    " \"fill\": {\"constant\": 1}}, \"m\": {\"role\": \"input\", \"dtype\": \"bool\","
    " \"shape\": [100, 4], \"fill\": {\"constant\": 0}},"
    " \"y\": {\"role\": \"output\", \"dtype\": \"i64\", \"shape\": [100]}},"
    "\"graph\": [{\"op\": \"where\", \"in\": [\"m\", -3.4e38, \"x\"], \"out\": \"z\"},"
    " {\"op\": \"pad\", \"in\": [\"z\"], \"pad\": [1, 1], \"value\": %s, \"out\": \"p\"},"
    " {\"op\": \"argmax\", \"in\": [\"p\"], \"dim\": 1, \"out\": \"y\"}]";

/* Of exact equal elements the first counts, also where others are left out or put around them. */
static void padding_and_masks_round_nothing(void **state)
{
    static const char *const values[] = {"-3e38", "0", "-0.1"};

    (void)state;
    for (size_t i = 0; i < COUNT(values); i++) {
        char body[768];
        struct rounding_task t;
        double got[100];

        snprintf(body, sizeof(body), tied_body, values[i]);
        t = rounding_task_open("f32", body);
        for (size_t k = 0; k < 100; k++)
            got[k] = 1;
        assert_true(rounding_task_error(&t, got) <= 1);
        got[7] = 2;
        assert_true(rounding_task_error(&t, got) > 1);
        rounding_task_close(&t);
    }
}

/* True where an element of a row has two larger ones. */
static const char order_body[] =
    "\"tensors\": {\"x\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [100, 16],"
    " \"fill\": {\"uniform\": [%s]}},"
    " \"y\": {\"role\": \"output\", \"dtype\": \"bool\", \"shape\": [100, 16]}},"
    "\"graph\": [{\"op\": \"reshape\", \"in\": [\"x\"], \"shape\": [100, 16, 1], \"out\": \"a\"},"
    " {\"op\": \"reshape\", \"in\": [\"x\"], \"shape\": [100, 1, 16], \"out\": \"b\"},"
    " {\"op\": \"gt\", \"in\": [\"b\", \"a\"], \"out\": \"g\"},"
    " {\"op\": \"cast\", \"in\": [\"g\"], \"dtype\": \"i64\", \"out\": \"i\"},"
    " {\"op\": \"sum\", \"in\": [\"i\"], \"dim\": 2, \"out\": \"n\"},"
    " {\"op\": \"eq\", \"in\": [\"n\", 2], \"out\": \"y\"}]";

/* The error if each truth value is the other one. */
static double order_error(const char *range)
{
    char body[1024];
    struct rounding_task t;
    double got[1600], error;

    snprintf(body, sizeof(body), order_body, range);
    t = rounding_task_open("mixed", body);
    for (size_t i = 0; i < 1600; i++)
        got[i] = rounding_task_expected(&t)[i] == 0;
    error = rounding_task_error(&t, got);
    rounding_task_close(&t);
    return error;
}

/* Nearly equal elements have any places; those far from each other have one. */
static void places_of_near_equal_elements_are_open(void **state)
{
    (void)state;
    assert_true(order_error("0.9999, 1.0001") <= 1);
    assert_true(order_error("-1000, 1000") > 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limits_are_exact),
        cmocka_unit_test(a_limit_that_f16_lacks_may_be_rounded),
        cmocka_unit_test(either_of_two_may_be_true),
        cmocka_unit_test(one_of_both_may_be_false),
        cmocka_unit_test(an_exact_operand_decides),
        cmocka_unit_test(places_of_near_equal_elements_are_open),
        cmocka_unit_test(padding_and_masks_round_nothing),
        cmocka_unit_test(a_softmax_has_the_shares_of_either_choice),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
