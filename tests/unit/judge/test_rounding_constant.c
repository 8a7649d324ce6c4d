#include "tests/unit/unit.h"

#include <math.h>

#include "tests/unit/rounding_fixture.h"

/* Constants: float32 does not hold some, and a kernel may compute with either number. */

enum { ELEMENTS = 4096 };

static const char less_body[] =
    "\"tensors\": {\"x\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [4096],"
    " \"fill\": {\"uniform\": [0, 0.2]}},"
    " \"y\": {\"role\": \"output\", \"dtype\": \"f32\", \"shape\": [4096]}},"
    "\"graph\": [{\"op\": \"sub\", \"in\": [\"x\", 0.1], \"out\": \"y\"}]";

/* The error of a kernel that subtracts this number, as a multiple of the tolerance. */
static double error_of(double constant)
{
    struct rounding_task t = rounding_task_open("f32", less_body);
    double got[ELEMENTS], error;

    for (size_t i = 0; i < ELEMENTS; i++)
        got[i] = (double)(float)(rounding_task_given(&t, "x")[i] - constant);
    error = rounding_task_error(&t, got);
    rounding_task_close(&t);
    return error;
}

static void a_constant_may_be_rounded_to_float32(void **state)
{
    (void)state;
    assert_true(error_of(0.1) <= 1);
    assert_true(error_of((double)0.1F) <= 1);
    assert_true(error_of((double)0.1F + 0x1p-27) > 1);
}

/* Places as PyTorch's arange is written: sums of a tensor of ones. */
static const char places_body[] =
    "\"tensors\": {\"x\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [64, 32],"
    " \"fill\": {\"uniform\": [1, 2]}},"
    " \"ones\": {\"role\": \"param\", \"dtype\": \"f32\", \"shape\": [32],"
    " \"fill\": {\"constant\": 1}},"
    " \"y\": {\"role\": \"output\", \"dtype\": \"f32\", \"shape\": [64, 32]}},"
    "\"graph\": [{\"op\": \"cumsum\", \"in\": [\"ones\"], \"out\": \"n\", \"dim\": 0},"
    " {\"op\": \"exp\", \"in\": [\"n\"], \"out\": \"e\"},"
    " {\"op\": \"mul\", \"in\": [\"x\", \"e\"], \"out\": \"y\"}]";

/* The error in class mixed if the place is off by `off`, as a multiple of the tolerance. */
static double place_error(double off)
{
    struct rounding_task t = rounding_task_open("mixed", places_body);
    double got[64 * 32], error;

    for (size_t i = 0; i < (size_t)64 * 32; i++)
        got[i] = rounding_task_given(&t, "x")[i] * exp((double)(i % 32 + 1) + off);
    error = rounding_task_error(&t, got);
    rounding_task_close(&t);
    return error;
}

/* 16-bit types hold small whole numbers, and an exponential would show another one. */
static void whole_constants_are_not_rounded(void **state)
{
    (void)state;
    assert_true(place_error(0) <= 1);
    assert_true(place_error(0x1p-8) <= 1);
    assert_true(place_error(0x1p-5) > 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_constant_may_be_rounded_to_float32),
        cmocka_unit_test(whole_constants_are_not_rounded),
    };

    return cmocka_run_group_tests_name("rounding_constant", tests, NULL, NULL);
}
