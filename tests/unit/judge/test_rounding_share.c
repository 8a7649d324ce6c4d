#include "tests/unit/unit.h"

#include <math.h>

#include "core/judge/oracle/rounding/spread_rowwise.h"
#include "tests/unit/rounding_fixture.h"

/* Shares of a softmax whose exponentials are computed twice, and rounded in another way then. */

enum { ROWS = 64, COLUMNS = 8 };

static const char share_body[] =
    "\"tensors\": {\"x\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [64, 8],"
    " \"fill\": {\"normal\": [0, 300]}},"
    " \"y\": {\"role\": \"output\", \"dtype\": \"f32\", \"shape\": [64, 8]}},"
    "\"graph\": [{\"op\": \"mul\", \"in\": [\"x\", 0.7], \"out\": \"s\"},"
    " {\"op\": \"softmax\", \"in\": [\"s\"], \"out\": \"y\", \"dim\": 1}]";

/* The product is rounded for the sum, and in the share only if it `rounds_again`. */
static void share_row(const double *x, bool rounds_again, float factor, double *y)
{
    float most = -INFINITY, sum = 0;

    for (size_t i = 0; i < COLUMNS; i++)
        most = fmaxf(most, (float)x[i] * 0.7F);
    for (size_t i = 0; i < COLUMNS; i++)
        sum += expf((float)x[i] * 0.7F - most);
    for (size_t i = 0; i < COLUMNS; i++) {
        float rounded = (float)x[i] * 0.7F;
        float less = rounds_again ? rounded - most : fmaf((float)x[i], 0.7F, -most);

        y[i] = (double)(factor * expf(less) / sum);
    }
}

static double share_error(bool rounds_again, float factor)
{
    struct rounding_task t = rounding_task_open("f32", share_body);
    double got[ROWS * COLUMNS], error;

    for (size_t row = 0; row < ROWS; row++)
        share_row(rounding_task_given(&t, "x") + row * COLUMNS, rounds_again, factor,
                  got + row * COLUMNS);
    error = rounding_task_error(&t, got);
    rounding_task_close(&t);
    return error;
}

static void exponentials_may_round_differently_in_both_passes(void **state)
{
    (void)state;
    assert_true(share_error(true, 1) <= 1);
    assert_true(share_error(false, 1) <= 1);
    assert_true(share_error(false, 0.999F) > 1);
}

/* Arguments with errors of 100 are one of them the largest, unless they are thousands apart. */
static void another_element_may_be_the_largest(void **state)
{
    const double x[] = {1e6, 1e6 - 900, 1e6 - 5000}, y[] = {1, 0, 0};
    double variance[] = {1e4, 1e4, 1e4};

    (void)state;
    spread_rowwise_far_weights(x, variance, y, 3, variance);
    assert_true(ROUNDING_DEVIATIONS * sqrt(variance[0]) >= 1);
    assert_true(ROUNDING_DEVIATIONS * sqrt(variance[1]) >= 1);
    assert_true(ROUNDING_DEVIATIONS * sqrt(variance[2]) < 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exponentials_may_round_differently_in_both_passes),
        cmocka_unit_test(another_element_may_be_the_largest),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
