#include "tests/unit/unit.h"

#include <math.h>

#include "core/base/axis.h"

static void assert_ticks(const struct axis *axis, size_t most, const double *expected, size_t count)
{
    struct axis_ticks ticks = axis_ticks(axis, most);

    assert_int_equal(ticks.count, count);
    for (size_t i = 0; i < count; i++)
        assert_true(fabs(ticks.items[i] - expected[i]) <= 1e-9 * fabs(expected[i]));
}

static void values_are_inside_and_in_order(void **state)
{
    static const double values[][2] = {{1, 1}, {0.01, 3e7}, {0.98, 1.03}, {3, 40}};

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        for (int is_log = 0; is_log < 2; is_log++) {
            struct axis axis = axis_around(values[i][0], values[i][1], is_log);
            double low = axis_share(&axis, values[i][0]), high = axis_share(&axis, values[i][1]);

            assert_true(low > 0 && low <= high && high < 1);
        }
    }
}

static void powers_of_ten_are_evenly_apart(void **state)
{
    const struct axis axis = {.low = 0.1, .high = 1000, .is_log = true};

    (void)state;
    assert_true(fabs(axis_share(&axis, 1) - 0.25) < 1e-12);
    assert_true(fabs(axis_share(&axis, 100) - 0.75) < 1e-12);
    assert_true(axis_share(&axis, 1e4) > 1);
}

static void ticks_are_as_dense_as_the_room_allows(void **state)
{
    const struct axis axis = {.low = 0.9, .high = 110, .is_log = true};

    (void)state;
    assert_ticks(&axis, 8, (const double[]){1, 2, 5, 10, 20, 50, 100}, 7);
    assert_ticks(&axis, 6, (const double[]){1, 10, 100}, 3);
    assert_ticks(&axis, 3, (const double[]){1, 10, 100}, 3);
    assert_ticks(&axis, 2, (const double[]){1, 100}, 2);
    assert_int_equal(axis_ticks(&axis, 0).count, 0);
}

static void a_short_logarithmic_axis_has_even_ticks(void **state)
{
    const struct axis axis = {.low = 1.03, .high = 1.32, .is_log = true};

    (void)state;
    assert_ticks(&axis, 6, (const double[]){1.05, 1.1, 1.15, 1.2, 1.25, 1.3}, 6);
    assert_ticks(&axis, 4, (const double[]){1.1, 1.2, 1.3}, 3);
}

static void linear_ticks_are_round(void **state)
{
    const struct axis axis = {.low = -0.2, .high = 5.2}, attempts = {0.9, 3.1, .is_whole = true};

    (void)state;
    assert_ticks(&axis, 12, (const double[]){0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5, 5}, 11);
    assert_ticks(&axis, 4, (const double[]){0, 2, 4}, 3);
    assert_ticks(&attempts, 12, (const double[]){1, 2, 3}, 3);
}

/* For any axis: no more ticks than asked for, all of them on the axis and ascending. */
static void ticks_stay_on_any_axis(void **state)
{
    (void)state;
    for (int i = 0; i < 400; i++) {
        double low = pow(10, i % 21 - 10) * (1 + i % 7), factor = pow(10, (i % 13 + 0.1) / 2);
        struct axis axis = {.low = low, .high = low * factor, .is_log = i % 2};
        size_t most = 1 + (size_t)i % 40;
        struct axis_ticks ticks = axis_ticks(&axis, most);

        assert_true(ticks.count <= most && ticks.count <= AXIS_MAX_TICKS);
        for (size_t j = 0; j < ticks.count; j++) {
            assert_true(axis_share(&axis, ticks.items[j]) > -1e-6);
            assert_true(axis_share(&axis, ticks.items[j]) < 1 + 1e-6);
            assert_true(j == 0 || ticks.items[j] > ticks.items[j - 1]);
        }
    }
}

static void labels_have_prefixes_and_units(void **state)
{
    char text[AXIS_LABEL_SIZE];

    (void)state;
    assert_string_equal(axis_label(text, 0.02, "x"), "0.02x");
    assert_string_equal(axis_label(text, 1e11, ""), "100 G");
    assert_string_equal(axis_label(text, 1500, " flop"), "1.5 k flop");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_inside_and_in_order),
        cmocka_unit_test(powers_of_ten_are_evenly_apart),
        cmocka_unit_test(ticks_are_as_dense_as_the_room_allows),
        cmocka_unit_test(a_short_logarithmic_axis_has_even_ticks),
        cmocka_unit_test(linear_ticks_are_round),
        cmocka_unit_test(ticks_stay_on_any_axis),
        cmocka_unit_test(labels_have_prefixes_and_units),
    };

    return cmocka_run_group_tests_name("axis", tests, NULL, NULL);
}
