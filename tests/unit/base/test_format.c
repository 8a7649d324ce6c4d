#include "tests/unit/unit.h"

#include <math.h>

#include "core/base/format.h"

static void numbers_have_three_digits_and_a_unit(void **state)
{
    char text[FORMAT_SIZE];

    (void)state;
    assert_string_equal(format_time(text, 71.84), "71.8 us");
    assert_string_equal(format_time(text, 17360), "17.4 ms");
    assert_string_equal(format_time(text, 0.0301), "0.0301 us");
    assert_string_equal(format_bytes(text, 0), "0 B");
    assert_string_equal(format_bytes(text, 160), "160 B");
    assert_string_equal(format_bytes(text, 25234567), "25.2 MB");
    assert_string_equal(format_amount(text, 142e9, "B/s"), "142 GB/s");
    assert_string_equal(format_amount(text, 1.2e12, "flop/s"), "1.20 Tflop/s");
    assert_string_equal(format_amount(text, 999.6e9, "flop/s"), "1.00 Tflop/s");
    assert_string_equal(format_amount(text, 0, "flop"), "0 flop");
    assert_string_equal(format_interval(text, 0.976, 12.72), "[0.976, 12.7]");
    assert_string_equal(format_interval(text, 0, (double)INFINITY), "[unknown]");
    assert_string_equal(format_gain_interval(text, 1.1, 0, (double)INFINITY), "[unknown]");
    assert_string_equal(format_short_interval(text, 0.0989, 0.167), "[0.099,0.17]");
    assert_string_equal(format_short_interval(text, 12.72, 1234), "[13,1234]");
    assert_string_equal(format_share(text, 0.412), "41");
    assert_string_equal(format_share(text, 0.0096), "1");
    assert_string_equal(format_share(text, 0.0031), "0.3");
    assert_string_equal(format_share(text, 0.0001), "<0.1");
    assert_string_equal(format_share(text, 0), "0");
}

static void speedups_have_three_digits_below_one_too(void **state)
{
    char text[FORMAT_SIZE];

    (void)state;
    assert_string_equal(format_speedup(text, 0.1384), "0.138x");
    assert_string_equal(format_speedup(text, 0.99951), "1.00x");
    assert_string_equal(format_speedup(text, 0.01), "0.0100x");
    assert_string_equal(format_speedup(text, 6.841), "6.84x");
    assert_string_equal(format_speedup(text, 0), "-");
}

static void gains_are_differences_up_to_a_factor_of_two(void **state)
{
    char text[FORMAT_SIZE];

    (void)state;
    assert_string_equal(format_gain(text, 1.367), "+36.7%");
    assert_string_equal(format_gain(text, 0.9999), "+0.0%");
    assert_string_equal(format_gain(text, 0.52), "-48.0%");
    assert_string_equal(format_gain(text, 3.08), "3.08x");
    assert_string_equal(format_gain(text, 0.25), "0.250x");
    assert_string_equal(format_gain_interval(text, 1.367, 0.9, 1.5), "[-10.0, +50.0]");
    assert_string_equal(format_gain_interval(text, 3.08, 0.9, 5.6), "[0.900, 5.60]");
}

static void metrics_have_the_unit_that_is_in_no_name(void **state)
{
    char text[FORMAT_SIZE];

    (void)state;
    assert_string_equal(format_metric(text, 24192, "ns"), "24.2 us");
    assert_string_equal(format_metric(text, 12590000, "byte"), "12.6 MB");
    assert_string_equal(format_metric(text, 62.5, "%"), "62.5 %");
    assert_string_equal(format_metric(text, 44, "%"), "44 %");
    assert_string_equal(format_metric(text, 40, "register/thread"), "40");
    assert_string_equal(format_metric(text, 1200000, "inst"), "1.20M");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_have_three_digits_and_a_unit),
        cmocka_unit_test(speedups_have_three_digits_below_one_too),
        cmocka_unit_test(gains_are_differences_up_to_a_factor_of_two),
        cmocka_unit_test(metrics_have_the_unit_that_is_in_no_name),
    };

    return cmocka_run_group_tests_name("format", tests, NULL, NULL);
}
