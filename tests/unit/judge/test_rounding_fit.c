#include "tests/unit/unit.h"

#include <math.h>

#include "core/judge/oracle/rounding/rounding.h"

/*
 * Variances of elements of two sizes, which are fitted to the errors of one implementation: 900
 * with a variance of 1, then 100 with a variance of 1e-6.
 */

enum { LARGE = 900, COUNT = 1000 };

/* Fit the variances to errors of these sizes: the results for a large and a small element. */
static void fit(double large_error, double small_error, double margin, double *large, double *small)
{
    static const double expected[COUNT];
    double rounded[COUNT], variance[COUNT];

    for (size_t i = 0; i < COUNT; i++) {
        double error = i < LARGE ? large_error : small_error;

        rounded[i] = i % 2 ? error : -error;
        variance[i] = i < LARGE ? 1 : 1e-6;
    }
    rounding_fit(expected, rounded, COUNT, margin, variance);
    *large = variance[0];
    *small = variance[LARGE];
}

static void errors_within_the_deviations_widen_nothing(void **state)
{
    double large, small;

    (void)state;
    fit(0.9, 0.9e-3, (double)INFINITY, &large, &small);
    assert_float_equal(large, 1, 1e-12);
    assert_float_equal(small, 1e-6, 1e-18);
}

static void errors_beyond_the_deviations_widen_all(void **state)
{
    double large, small;

    (void)state;
    fit(3, 3e-3, (double)INFINITY, &large, &small);
    assert_float_equal(large, 9, 1e-9);
    assert_float_equal(small, 9e-6, 1e-15);
}

/* An error that all elements share is beyond the deviations of the small ones only. */
static void shared_errors_widen_small_elements(void **state)
{
    double large, small;

    (void)state;
    fit(2e-3, 2e-3, (double)INFINITY, &large, &small);
    assert_float_equal(large, 1, 1e-9);
    assert_float_equal(small, 4e-6, 1e-15);
}

static void variances_far_above_errors_decrease_to_the_margin(void **state)
{
    double large, small;

    (void)state;
    fit(1e-4, 1e-7, 100, &large, &small);
    assert_float_equal(large, 1e-6, 1e-15);
    assert_float_equal(small, 1e-12, 1e-21);
    fit(0.5, 0.5e-3, 100, &large, &small);
    assert_float_equal(large, 1, 1e-12);
}

static void the_group_with_larger_errors_keeps_its_variances(void **state)
{
    double large, small;

    (void)state;
    fit(1e-4, 0.9e-3, 100, &large, &small);
    assert_float_equal(small, 1e-6, 1e-15);
}

/* Few elements with far larger variances are in a group with others, whose errors bound theirs. */
static void errors_bound_the_variances_of_a_few(void **state)
{
    static const double expected[COUNT];
    double rounded[COUNT], variance[COUNT];

    (void)state;
    for (size_t i = 0; i < COUNT; i++) {
        rounded[i] = i % 2 ? 1e-3 : -1e-3;
        variance[i] = i < 8 ? 1e30 : 1e-6;
    }
    rounding_fit(expected, rounded, COUNT, 16, variance);
    assert_float_equal(variance[COUNT - 1], 1e-6, 1e-15);
    assert_true(variance[0] >= 16e-6 && variance[0] <= 1e-3);
}

/* The errors of one group do not keep variances of another that are far above its errors. */
static void groups_decrease_on_their_own(void **state)
{
    double large, small;

    (void)state;
    fit(1e-4, 0.9e-3, 100, &large, &small);
    assert_float_equal(large, 1e-6, 1e-12);
}

static void variances_stay_without_errors(void **state)
{
    double large, small;

    (void)state;
    fit(0, 0, 100, &large, &small);
    assert_float_equal(large, 1, 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_within_the_deviations_widen_nothing),
        cmocka_unit_test(errors_beyond_the_deviations_widen_all),
        cmocka_unit_test(shared_errors_widen_small_elements),
        cmocka_unit_test(variances_far_above_errors_decrease_to_the_margin),
        cmocka_unit_test(the_group_with_larger_errors_keeps_its_variances),
        cmocka_unit_test(errors_bound_the_variances_of_a_few),
        cmocka_unit_test(groups_decrease_on_their_own),
        cmocka_unit_test(variances_stay_without_errors),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
