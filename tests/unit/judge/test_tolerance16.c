#include "tests/unit/unit.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "core/base/array.h"
#include "core/base/mem.h"
#include "core/judge/compare/tolerance16.h"

/* Tolerances in 16 bits: never less than the tolerance, and hardly more. */

static void codes_allow_at_least_as_much(void **state)
{
    (void)state;
    for (uint32_t bits = 0; bits <= 0x7f7fffff - 4099; bits += 4099) {
        float tolerance, value;

        memcpy(&tolerance, &bits, sizeof(tolerance));
        value = tolerance16_value(tolerance16_code(tolerance));
        if (!(value >= tolerance))
            fail_msg("%a is held as %a", (double)tolerance, (double)value);
        if (!(value - tolerance <= fmaxf(tolerance, FLT_MIN) / 128) &&
            tolerance < tolerance16_value(0x7f7f))
            fail_msg("%a is held as %a", (double)tolerance, (double)value);
    }
}

static void numbers_of_eight_bits_are_exact(void **state)
{
    static const float exact[] = {0, 1, 2, 127, 255, 0.25F, 0x1.fep-20F, FLT_MIN};

    (void)state;
    for (size_t i = 0; i < COUNT(exact); i++)
        assert_true(tolerance16_value(tolerance16_code(exact[i])) == exact[i]);
}

static void signs_are_kept(void **state)
{
    (void)state;
    for (float tolerance = 0.1F; tolerance < 1e9F; tolerance *= 3) {
        assert_false(tolerance16_allows_nonfinite(tolerance16_code(tolerance)));
        assert_true(tolerance16_allows_nonfinite(tolerance16_code(-tolerance)));
        assert_true(tolerance16_value(tolerance16_code(-tolerance)) ==
                    tolerance16_value(tolerance16_code(tolerance)));
    }
}

static void the_largest_allow_everything(void **state)
{
    (void)state;
    assert_true(isinf(tolerance16_value(tolerance16_code(FLT_MAX))));
    assert_true(isinf(tolerance16_value(tolerance16_code(INFINITY))));
}

static void each_tolerance_has_its_code(void **state)
{
    enum { ELEMENTS = 1000 };
    float *tolerances = mem_alloc_zeroed(ELEMENTS, sizeof(*tolerances));
    uint16_t *codes;

    (void)state;
    for (size_t i = 0; i < ELEMENTS; i++)
        tolerances[i] = (float)i;
    codes = tolerance16_take(tolerances, ELEMENTS);
    for (size_t i = 0; i < ELEMENTS; i++)
        assert_int_equal(codes[i], tolerance16_code((float)i));
    free(codes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(codes_allow_at_least_as_much),
        cmocka_unit_test(numbers_of_eight_bits_are_exact),
        cmocka_unit_test(signs_are_kept),
        cmocka_unit_test(the_largest_allow_everything),
        cmocka_unit_test(each_tolerance_has_its_code),
    };

    return cmocka_run_group_tests_name("tolerance16", tests, NULL, NULL);
}
