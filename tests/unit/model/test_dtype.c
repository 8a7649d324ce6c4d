#include "tests/unit/unit.h"

#include <math.h>
#include <string.h>

#include "core/model/dtype.h"

/* The 16 bits that store `value`. */
static uint16_t half_of(enum dtype dtype, double value)
{
    uint16_t half;

    dtype_from_double(dtype, &value, &half, 1);
    return half;
}

static double value_of(enum dtype dtype, unsigned bits)
{
    uint16_t half = (uint16_t)bits;
    double value;

    dtype_to_double(dtype, &half, &value, 1);
    return value;
}

/* bf16 is the upper half of f32, so the compiler's own conversion gives the expected value. */
static void every_bf16_is_the_upper_half_of_a_float(void **state)
{
    (void)state;
    for (unsigned bits = 0; bits <= 0xffff; bits++) {
        uint32_t wide = bits << 16;
        float expected;

        memcpy(&expected, &wide, sizeof(expected));
        if (isnan(expected))
            assert_true(isnan(value_of(DTYPE_BF16, bits)));
        else
            assert_true(value_of(DTYPE_BF16, bits) == (double)expected);
    }
}

static void f16_has_the_values_of_ieee_754(void **state)
{
    (void)state;
    assert_true(value_of(DTYPE_F16, 0x3c00) == 1);
    assert_true(value_of(DTYPE_F16, 0xc000) == -2);
    assert_true(value_of(DTYPE_F16, 0x3555) == 0.333251953125);
    assert_true(value_of(DTYPE_F16, 0x7bff) == 65504);
    assert_true(value_of(DTYPE_F16, 0x0400) == 0x1p-14);
    assert_true(value_of(DTYPE_F16, 0x0001) == 0x1p-24);
    assert_true(value_of(DTYPE_F16, 0x7c00) == (double)INFINITY);
    assert_true(isnan(value_of(DTYPE_F16, 0x7c01)));
}

static void every_half_survives_the_way_to_double_and_back(void **state)
{
    static const enum dtype halves[] = {DTYPE_F16, DTYPE_BF16};

    (void)state;
    for (size_t d = 0; d < 2; d++) {
        for (unsigned bits = 0; bits <= 0xffff; bits++) {
            double value = value_of(halves[d], bits);

            if (isnan(value))
                assert_true(isnan(value_of(halves[d], half_of(halves[d], value))));
            else
                assert_int_equal(half_of(halves[d], value), bits);
        }
    }
}

/*
 * A value halfway between two neighbours rounds to the even one; a slightly different value rounds
 * to the nearer one.
 */
static void halves_round_to_nearest_even(void **state)
{
    static const struct {
        enum dtype dtype;
        unsigned largest;
    } halves[] = {{DTYPE_F16, 0x7bff}, {DTYPE_BF16, 0x7f7f}};

    (void)state;
    for (size_t d = 0; d < 2; d++) {
        for (unsigned bits = 0; bits < halves[d].largest; bits++) {
            double low = value_of(halves[d].dtype, bits);
            double high = value_of(halves[d].dtype, bits + 1);
            double middle = low + (high - low) / 2;

            assert_int_equal(half_of(halves[d].dtype, middle), bits + (bits & 1));
            assert_int_equal(half_of(halves[d].dtype, nextafter(middle, 0)), bits);
            assert_int_equal(half_of(halves[d].dtype, nextafter(middle, 1e300)), bits + 1);
            assert_int_equal(half_of(halves[d].dtype, -middle), 0x8000 | (bits + (bits & 1)));
        }
    }
}

static void what_is_too_large_for_a_half_is_infinite(void **state)
{
    (void)state;
    assert_int_equal(half_of(DTYPE_F16, 65519.99), 0x7bff);
    assert_int_equal(half_of(DTYPE_F16, 65520), 0x7c00);
    assert_int_equal(half_of(DTYPE_F16, -1e300), 0xfc00);
    assert_int_equal(half_of(DTYPE_BF16, 3.4e38), 0x7f80);
    assert_int_equal(half_of(DTYPE_F16, 0x1p-25), 0);
    assert_int_equal(half_of(DTYPE_F16, -0x1p-1070), 0x8000);
}

static void integers_round_and_clamp(void **state)
{
    const double from[] = {2.5, 3.5, -0.5, 1e30, -1e30, (double)NAN};
    const int32_t expected[] = {2, 4, 0, INT32_MAX, INT32_MIN, 0};
    int32_t i32[6];
    int64_t i64[6];

    (void)state;
    dtype_from_double(DTYPE_I32, from, i32, 6);
    assert_memory_equal(i32, expected, sizeof(expected));
    dtype_from_double(DTYPE_I64, from, i64, 6);
    assert_true(i64[3] == INT64_MAX && i64[4] == INT64_MIN && i64[5] == 0);
}

static void types_meet_in_the_wider_one(void **state)
{
    (void)state;
    assert_int_equal(dtype_promote(DTYPE_F16, DTYPE_BF16), DTYPE_F32);
    assert_int_equal(dtype_promote(DTYPE_I64, DTYPE_F16), DTYPE_F16);
    assert_int_equal(dtype_promote(DTYPE_BOOL, DTYPE_I32), DTYPE_I32);
    assert_int_equal(dtype_promote(DTYPE_F32, DTYPE_F64), DTYPE_F64);
}

static void a_shape_with_too_many_elements_is_not_valid(void **state)
{
    const struct shape most = {2, {1 << 20, 1 << 20}}, more = {2, {1 << 20, (1 << 20) + 1}};
    const struct shape huge = {3, {INT64_MAX, INT64_MAX, 4}}, none = {2, {4, 0}};
    const struct shape scalar = {0}, line = {1, {(INT64_C(1) << 31) + 5}};

    (void)state;
    assert_true(shape_is_valid(&most));
    assert_false(shape_is_valid(&more));
    assert_true(shape_is_valid(&line));
    assert_int_equal(shape_elements(&line), 2147483653);
    assert_false(shape_is_valid(&huge));
    assert_false(shape_is_valid(&none));
    assert_true(shape_is_valid(&scalar));
    assert_int_equal(shape_elements(&scalar), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_bf16_is_the_upper_half_of_a_float),
        cmocka_unit_test(f16_has_the_values_of_ieee_754),
        cmocka_unit_test(every_half_survives_the_way_to_double_and_back),
        cmocka_unit_test(halves_round_to_nearest_even),
        cmocka_unit_test(what_is_too_large_for_a_half_is_infinite),
        cmocka_unit_test(integers_round_and_clamp),
        cmocka_unit_test(types_meet_in_the_wider_one),
        cmocka_unit_test(a_shape_with_too_many_elements_is_not_valid),
    };

    return cmocka_run_group_tests_name("dtype", tests, NULL, NULL);
}
