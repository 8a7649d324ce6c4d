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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_of_integers_are_exact),
        cmocka_unit_test(numbers_beyond_the_range_of_integers_become_any),
        cmocka_unit_test(numbers_within_the_range_become_one),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
