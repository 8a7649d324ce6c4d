#include "tests/unit/unit.h"

#include <math.h>
#include <stdint.h>

#include "core/judge/oracle/rounding/rounding.h"
#include "core/judge/oracle/rounding/spread_sum.h"

/* The errors of sums of terms of one sign, in a float loop. */

/* A number between 0 and 1, by a linear congruential generator. */
static float draw(uint32_t *seed)
{
    *seed = *seed * 1664525 + 1013904223;
    return (float)(*seed >> 8) / 0x1p24F;
}

/* The error of a loop over squares, as a multiple of the deviation that their bias has. */
static double deviations_of(size_t n, bool are_equal)
{
    double total = 0, squares = 0;
    uint32_t seed = 1;
    float loop = 0;

    for (size_t i = 0; i < n; i++) {
        float x = are_equal ? 0.3F : draw(&seed), term = x * x;

        loop += term;
        total += (double)term;
        squares += (double)term * (double)term;
    }
    return fabs((double)loop - total) / sqrt(spread_sum_bias(total, squares, (double)n));
}

static void biased_errors_are_within_eight_deviations(void **state)
{
    (void)state;
    assert_true(deviations_of(4096, true) < ROUNDING_DEVIATIONS);
    assert_true(deviations_of(4096, true) > 1);
    assert_true(deviations_of(1 << 20, false) < ROUNDING_DEVIATIONS);
    assert_true(deviations_of(1 << 20, false) > 1);
}

static void terms_of_both_signs_have_none(void **state)
{
    (void)state;
    assert_true(spread_sum_bias(0, 1e6, 1e6) == 0);
}

/* Equal small numbers behind a large one all round the same way, before it they do not. */
static void a_sum_may_begin_at_either_end(void **state)
{
    double share[1000];
    struct spread_sum up = {0}, down = {0};
    size_t n = sizeof(share) / sizeof(*share);

    (void)state;
    for (size_t i = 0; i < n; i++)
        share[i] = i + 1 < n ? 4e-8 : 1;
    for (size_t i = 0; i < n; i++) {
        spread_sum_add(&up, share[i]);
        spread_sum_add(&down, share[n - 1 - i]);
    }
    assert_true(spread_sum_variance(&down) > 16 * spread_sum_variance(&up));
    spread_sum_turn(&up, share, n, 1);
    assert_true(spread_sum_variance(&up) > 0.9 * spread_sum_variance(&down));
}

/* An element at the mean may be far from it, where another choice replaces it. */
static void one_element_may_be_off_by_all_deviations(void **state)
{
    double x[100] = {0}, variance[100] = {0};
    struct spread_moments m;

    (void)state;
    variance[0] = 1.0 / (ROUNDING_DEVIATIONS * ROUNDING_DEVIATIONS);
    m = spread_moments_of(x, variance, 100, true);
    assert_true(ROUNDING_DEVIATIONS * sqrt(m.square_variance) > 0.0099);
    assert_true(ROUNDING_DEVIATIONS * sqrt(m.square_variance) < 0.02);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(biased_errors_are_within_eight_deviations),
        cmocka_unit_test(terms_of_both_signs_have_none),
        cmocka_unit_test(a_sum_may_begin_at_either_end),
        cmocka_unit_test(one_element_may_be_off_by_all_deviations),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
