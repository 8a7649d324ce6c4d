#include "tests/unit/unit.h"

#include <math.h>
#include <stdint.h>

#include "core/judge/oracle/rounding.h"
#include "core/judge/oracle/spread_sum.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(biased_errors_are_within_eight_deviations),
        cmocka_unit_test(terms_of_both_signs_have_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
