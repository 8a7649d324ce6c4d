#include "tests/unit/tried_fixture.h"

/* Data that exceed a type's range are left out, unless no honest kernel has that type there. */

/* Products of 8-bit integers, as quantized layers compute them, in float32. */
#define INTEGER_PRODUCT(least, most)                                           \
    "\"dims\": {}, \"tensors\": {"                                             \
    "\"x\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [16, 64],"    \
    " \"fill\": {\"normal\": [0, 1]}},"                                        \
    "\"w\": {\"role\": \"param\", \"dtype\": \"i32\", \"shape\": [16, 64],"    \
    " \"fill\": {\"integers\": [" least ", " most "]}},"                       \
    "\"y\": {\"role\": \"output\", \"dtype\": \"f32\", \"shape\": [16, 16]}}," \
    "\"graph\": [{\"op\": \"mul\", \"in\": [\"x\", 120], \"out\": \"q\"},"     \
    "{\"op\": \"cast\", \"in\": [\"w\"], \"out\": \"f\", \"dtype\": \"f32\"}," \
    "{\"op\": \"linear\", \"in\": [\"q\", \"f\"], \"out\": \"s\"},"            \
    "{\"op\": \"mul\", \"in\": [\"s\", 0.001], \"out\": \"y\"}]"

static void what_exceeds_f16_on_drawn_data_is_not_limited_by_it(void **state)
{
    struct tried large = tried_in_mixed(INTEGER_PRODUCT("-127", "127"));
    struct tried small = tried_in_mixed(INTEGER_PRODUCT("-2", "2"));

    (void)state;
    assert_true(large.is_tried[VARIATION_NEGATIVE] && large.is_fair[VARIATION_NEGATIVE]);
    assert_true(large.is_fair[VARIATION_ALIKE]);
    assert_true(small.is_fair[VARIATION_NEGATIVE] && !small.is_fair[VARIATION_HUGE]);
}

static void the_lowest_integer_is_held(void **state)
{
    struct tried tried =
        tried_on("\"dims\": {}, \"tensors\": {"
                 "\"x\": {\"role\": \"input\", \"dtype\": \"i32\", \"shape\": [16, 16],"
                 " \"fill\": {\"integers\": [-2147483648, 2147483647]}},"
                 "\"y\": {\"role\": \"output\", \"dtype\": \"i32\", \"shape\": [16]}},"
                 "\"graph\": [{\"op\": \"max\", \"in\": [\"x\"], \"out\": \"y\", \"dim\": 1}]");

    (void)state;
    assert_true(tried.is_tried[VARIATION_ENDS] && tried.is_fair[VARIATION_ENDS]);
    assert_true(tried.is_fair[VARIATION_ALIKE]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_exceeds_f16_on_drawn_data_is_not_limited_by_it),
        cmocka_unit_test(the_lowest_integer_is_held),
    };

    return cmocka_run_group_tests_name("varied_limits", tests, NULL, NULL);
}
