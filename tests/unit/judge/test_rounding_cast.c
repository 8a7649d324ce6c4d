#include "tests/unit/unit.h"

#include <math.h>
#include <stdio.h>

#include "core/base/array.h"
#include "tests/unit/rounding_fixture.h"

/* y is what `number` becomes as an integer. */
static struct rounding_task open_cast(const char *dtype, double number)
{
    char text[512];

    (void)snprintf(text, sizeof(text),
                   "\"tensors\": {\"x\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [1], "
                   "\"fill\": {\"constant\": %.9g}},"
                   " \"y\": {\"role\": \"output\", \"dtype\": \"%s\", \"shape\": [1]}},"
                   "\"graph\": [{\"op\": \"cast\", \"in\": [\"x\"], \"out\": \"y\", \"dtype\": "
                   "\"%s\"}]",
                   number, dtype, dtype);
    return rounding_task_open("f32", text);
}

static bool passes(const char *dtype, double number, double got)
{
    struct rounding_task t = open_cast(dtype, number);
    bool result = rounding_task_error(&t, &got) <= 1;

    rounding_task_close(&t);
    return result;
}

/* C leaves the result open; CUDA takes the nearest integer, x86 the lowest one. */
static void numbers_beyond_the_range_of_integers_become_any(void **state)
{
    static const double i32[] = {0x1.fffffffcp30, -0x1p31, 0};

    (void)state;
    for (size_t i = 0; i < COUNT(i32); i++) {
        assert_true(passes("i32", 3e9, i32[i]));
        assert_true(passes("i32", -3e9, i32[i]));
        assert_true(passes("i64", 1e19, i32[i]));
        assert_true(passes("i64", -1e19, -0x1p63));
    }
}

static void numbers_within_the_range_become_one(void **state)
{
    (void)state;
    assert_true(passes("i32", 0x1p30, 0x1p30));
    assert_false(passes("i32", 0x1p30, 0x1p30 + 1));
    assert_true(passes("i32", -0x1p31, -0x1p31));
    assert_false(passes("i32", -0x1p31, 0));
    assert_true(passes("i64", 3e9, 3e9));
    assert_false(passes("i64", 3e9, -0x1p31));
}

static const char product_body[] =
    "\"tensors\": {\"a\": {\"role\": \"input\", \"dtype\": \"i32\", \"shape\": [8, 70],"
    " \"fill\": {\"constant\": -128}}, \"b\": {\"role\": \"input\", \"dtype\": \"i32\","
    " \"shape\": [70, 5], \"fill\": {\"constant\": 127}},"
    " \"y\": {\"role\": \"output\", \"dtype\": \"i64\", \"shape\": [8, 5]}},"
    "\"graph\": [{\"op\": \"cast\", \"in\": [\"a\"], \"out\": \"s\", \"dtype\": \"f64\"},"
    " {\"op\": \"cast\", \"in\": [\"b\"], \"out\": \"t\", \"dtype\": \"f64\"},"
    " {\"op\": \"matmul\", \"in\": [\"s\", \"t\"], \"out\": \"p\"},"
    " {\"op\": \"cast\", \"in\": [\"p\"], \"out\": \"y\", \"dtype\": \"i64\"}]";

/* Graphs write products of integers in double precision, and kernels compute with integers. */
static void products_of_integers_are_exact(void **state)
{
    static const char *const classes[] = {"f32", "mixed"};

    (void)state;
    for (size_t i = 0; i < COUNT(classes); i++) {
        struct rounding_task t = rounding_task_open(classes[i], product_body);
        double got[40];

        for (size_t k = 0; k < 40; k++)
            got[k] = -128 * 127 * 70;
        assert_true(rounding_task_error(&t, got) <= 1);
        got[11] += 1;
        assert_true(rounding_task_error(&t, got) > 1);
        rounding_task_close(&t);
    }
}

/* Rounded down, by an integer, as floor() of PyTorch is written. */
static const char floor_body[] =
    "\"tensors\": {\"x\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [400],"
    " \"fill\": {\"normal\": [0, %s]}},"
    " \"y\": {\"role\": \"output\", \"dtype\": \"i32\", \"shape\": [400]}},"
    "\"graph\": [{\"op\": \"mul\", \"in\": [\"x\", 1.7], \"out\": \"s\"},"
    " {\"op\": \"clamp\", \"in\": [\"s\"], \"out\": \"c\", \"min\": -8388608, \"max\": 8388608},"
    " {\"op\": \"cast\", \"in\": [\"c\"], \"out\": \"i\", \"dtype\": \"i32\"},"
    " {\"op\": \"cast\", \"in\": [\"i\"], \"out\": \"f\", \"dtype\": \"f32\"},"
    " {\"op\": \"sub\", \"in\": [\"s\", \"c\"], \"out\": \"r\"},"
    " {\"op\": \"add\", \"in\": [\"f\", \"r\"], \"out\": \"t\"},"
    " {\"op\": \"gt\", \"in\": [\"t\", \"s\"], \"out\": \"g\"},"
    " {\"op\": \"cast\", \"in\": [\"g\"], \"out\": \"b\", \"dtype\": \"f32\"},"
    " {\"op\": \"sub\", \"in\": [\"t\", \"b\"], \"out\": \"d\"},"
    " {\"op\": \"clamp\", \"in\": [\"d\"], \"out\": \"e\", \"min\": -128, \"max\": 127},"
    " {\"op\": \"cast\", \"in\": [\"e\"], \"out\": \"y\", \"dtype\": \"i32\"}]";

/* The error if numbers are rounded in float32, and `off` is added to the first half's numbers. */
static double floor_error(const char *tolerance, const char *deviation, double off)
{
    char body[1500];
    struct rounding_task t;
    double got[400], error;

    (void)snprintf(body, sizeof(body), floor_body, deviation);
    t = rounding_task_open(tolerance, body);
    for (size_t i = 0; i < 400; i++)
        got[i] = fmin(fmax((double)floorf((float)rounding_task_given(&t, "x")[i] * 1.7F) +
                               (i < 200 ? off : 0),
                           -128),
                      127);
    error = rounding_task_error(&t, got);
    rounding_task_close(&t);
    return error;
}

/* Nothing but a number near a whole one may become another integer. */
static void rounded_numbers_are_whole(void **state)
{
    (void)state;
    assert_true(floor_error("f32", "20", 0) <= 1);
    assert_true(floor_error("f32", "20", 1) > 1);
    assert_true(floor_error("f32", "1e8", 0) <= 1);
    assert_true(floor_error("mixed", "1", 0) <= 1);
    assert_true(floor_error("mixed", "1", 1) > 1);
}

/* Integers divided by 7, in float32, and corrected by the remainder. */
#define QUOTIENT(type, to)                                                                 \
    "\"tensors\": {\"a\": {\"role\": \"input\", \"dtype\": \"i64\", \"shape\": [400],"     \
    " \"fill\": {\"integers\": [0, 99999999]}},"                                           \
    " \"y\": {\"role\": \"output\", \"dtype\": \"" type "\", \"shape\": [400]}},"          \
    "\"graph\": [{\"op\": \"cast\", \"in\": [\"a\"], \"out\": \"f\", \"dtype\": \"f32\"}," \
    " {\"op\": \"div\", \"in\": [\"f\", 7], \"out\": \"d\"},"                              \
    " {\"op\": \"cast\", \"in\": [\"d\"], \"out\": \"q\", \"dtype\": \"i64\"},"            \
    " {\"op\": \"mul\", \"in\": [\"q\", 7], \"out\": \"m\"},"                              \
    " {\"op\": \"sub\", \"in\": [\"a\", \"m\"], \"out\": \"r\"},"                          \
    " {\"op\": \"lt\", \"in\": [\"r\", 0], \"out\": \"low\"},"                             \
    " {\"op\": \"ge\", \"in\": [\"r\", 7], \"out\": \"high\"},"                            \
    " {\"op\": \"sub\", \"in\": [\"q\", 1], \"out\": \"less\"},"                           \
    " {\"op\": \"add\", \"in\": [\"q\", 1], \"out\": \"more\"},"                           \
    " {\"op\": \"where\", \"in\": [\"high\", \"more\", \"q\"], \"out\": \"s\"},"           \
    " {\"op\": \"where\", \"in\": [\"low\", \"less\", \"s\"], \"out\": \"" to "\"}"

static const char quotient_body[] = QUOTIENT("i64", "y") "]";

/* The remainder as a number, as that of a part of an integer's bits. */
static const char remainder_body[] = QUOTIENT(
    "f32", "s7") ", {\"op\": \"mul\", \"in\": [\"s7\", 7], \"out\": \"m7\"},"
                 " {\"op\": \"sub\", \"in\": [\"a\", \"m7\"], \"out\": \"r7\"},"
                 " {\"op\": \"cast\", \"in\": [\"r7\"], \"out\": \"f7\", \"dtype\": \"f32\"},"
                 " {\"op\": \"mul\", \"in\": [\"f7\", 0.3], \"out\": \"y\"}]";

static void quotients_that_are_corrected_are_exact(void **state)
{
    struct rounding_task t = rounding_task_open("mixed", quotient_body);
    double got[400];

    (void)state;
    for (size_t i = 0; i < 400; i++)
        got[i] = floor(rounding_task_given(&t, "a")[i] / 7);
    assert_true(rounding_task_error(&t, got) <= 1);
    got[7] -= 1;
    assert_true(rounding_task_error(&t, got) > 1);
    rounding_task_close(&t);
}

/* The evaluation that rounds each value would have another quotient, and so another remainder. */
static void remainders_of_quotients_are_exact(void **state)
{
    struct rounding_task t = rounding_task_open("mixed", remainder_body);
    double got[400];

    (void)state;
    for (size_t i = 0; i < 400; i++)
        got[i] = 0.3 * fmod(rounding_task_given(&t, "a")[i], 7);
    assert_true(rounding_task_error(&t, got) <= 1);
    got[7] += 0.3;
    assert_true(rounding_task_error(&t, got) > 1);
    rounding_task_close(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quotients_that_are_corrected_are_exact),
        cmocka_unit_test(remainders_of_quotients_are_exact),
        cmocka_unit_test(rounded_numbers_are_whole),
        cmocka_unit_test(products_of_integers_are_exact),
        cmocka_unit_test(numbers_beyond_the_range_of_integers_become_any),
        cmocka_unit_test(numbers_within_the_range_become_one),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
