#include "tests/unit/unit.h"

#include "tests/unit/rounding_fixture.h"

/* Constants that float32 does not hold: a kernel may compute with either number. */

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_constant_may_be_rounded_to_float32),
    };

    return cmocka_run_group_tests_name("rounding_constant", tests, NULL, NULL);
}
