#include "tests/unit/unit.h"

#include <math.h>
#include <stdio.h>

#include "tests/unit/rounding_fixture.h"

/*
 * Norms by shifted data: the variance is E[(x - s)^2] - E[x - s]^2, where s is the first element of
 * the group. In some groups it lies far from all others.
 */

enum { GROUPS = 64, ELEMENTS = 1024 };

static const char problem[] =
    "\"tensors\": {\"x\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [64, 4, 256], "
    "\"fill\": {\"normal\": [0, 1]}},"
    " \"y\": {\"role\": \"output\", \"dtype\": \"f32\", \"shape\": [64, 4, 256]}},"
    "\"graph\": [{\"op\": \"reshape\", \"in\": [\"x\"], \"out\": \"all\", \"shape\": [64, 1024]},"
    "{\"op\": \"slice\", \"in\": [\"all\"], \"out\": \"first\", \"dim\": 1, \"end\": 1},"
    "{\"op\": \"slice\", \"in\": [\"all\"], \"out\": \"others\", \"dim\": 1, \"start\": 1},"
    "{\"op\": \"mul\", \"in\": [\"first\", 16], \"out\": \"far\"},"
    "{\"op\": \"concat\", \"in\": [\"far\", \"others\"], \"out\": \"c\", \"dim\": 1},"
    "{\"op\": \"reshape\", \"in\": [\"c\"], \"out\": \"g\", \"shape\": [64, 4, 256]},"
    "{\"op\": \"group_norm\", \"in\": [\"g\"], \"out\": \"y\", \"num_groups\": 1}]";

/* Normalize a group; the variance is divided by n - `less`. */
static void normalize(const double *given, float less, double *y)
{
    float x[ELEMENTS], sum = 0, squares = 0;

    for (size_t i = 0; i < ELEMENTS; i++)
        x[i] = (float)given[i] * (i == 0 ? 16.0F : 1.0F);
    for (size_t i = 0; i < ELEMENTS; i++) {
        float d = x[i] - x[0];

        sum += d;
        squares += d * d;
    }

    float mean = sum / ELEMENTS, variance = squares / (ELEMENTS - less) - mean * mean;
    float scale = 1 / sqrtf(variance + 1e-5F);

    for (size_t i = 0; i < ELEMENTS; i++)
        y[i] = (double)((x[i] - (x[0] + mean)) * scale);
}

static double error_of(const struct rounding_task *t, float less)
{
    static double got[GROUPS * ELEMENTS];

    for (size_t g = 0; g < GROUPS; g++)
        normalize(rounding_task_given(t, "x") + g * ELEMENTS, less, got + g * ELEMENTS);
    return rounding_task_error(t, got);
}

static void norms_by_shifted_data_pass(void **state)
{
    struct rounding_task t = rounding_task_open("f32", problem);

    (void)state;
    if (!(error_of(&t, 0) <= 1))
        fail_msg("%g times the tolerance", error_of(&t, 0));
    assert_true(error_of(&t, 1) > 1);
    rounding_task_close(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(norms_by_shifted_data_pass),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
