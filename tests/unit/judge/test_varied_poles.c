#include "tests/unit/tried_fixture.h"

#include <stdio.h>

#include "core/base/array.h"

/* Varied data that reach a pole in float32 alone are unfair. */

/* exp(-200) is 0 in float32, which has no quotient by itself, and no finite logarithm. */
static void data_that_underflow_before_a_division_are_unfair(void **state)
{
    static const char *const poles[] = {"{\"op\": \"div\", \"in\": [\"e\", \"e\"], \"out\": \"r\"}",
                                        "{\"op\": \"log\", \"in\": [\"e\"], \"out\": \"r\"}"};

    (void)state;
    for (size_t i = 0; i < COUNT(poles); i++) {
        char body[700];
        struct tried tried;

        snprintf(body, sizeof(body),
                 "\"dims\": {}, \"tensors\": {"
                 "\"x\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [8, 40],"
                 " \"fill\": {\"normal\": [0, 1]}},"
                 "\"y\": {\"role\": \"output\", \"dtype\": \"f32\", \"shape\": [8, 40]}},"
                 "\"graph\": [{\"op\": \"mul\", \"in\": [\"x\", \"x\"], \"out\": \"s\"},"
                 "{\"op\": \"clamp\", \"in\": [\"s\"], \"out\": \"t\", \"min\": 0, \"max\": 200},"
                 "{\"op\": \"neg\", \"in\": [\"t\"], \"out\": \"n\"},"
                 "{\"op\": \"exp\", \"in\": [\"n\"], \"out\": \"e\"}, %s,"
                 "{\"op\": \"clamp\", \"in\": [\"r\"], \"out\": \"y\", \"min\": -5, \"max\": 5}]",
                 poles[i]);
        tried = tried_on(body);
        assert_false(tried.is_fair[VARIATION_OUTLIERS]);
    }
}

/* In float32 (x + 0.001) - x is 0 for large x. */
static void data_that_cancel_before_a_division_are_unfair(void **state)
{
    struct tried tried =
        tried_on("\"dims\": {}, \"tensors\": {"
                 "\"x\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [8, 40],"
                 " \"fill\": {\"normal\": [0, 1]}},"
                 "\"y\": {\"role\": \"output\", \"dtype\": \"f32\", \"shape\": [8, 40]}},"
                 "\"graph\": [{\"op\": \"add\", \"in\": [\"x\", 0.001], \"out\": \"a\"},"
                 "{\"op\": \"sub\", \"in\": [\"a\", \"x\"], \"out\": \"d\"},"
                 "{\"op\": \"div\", \"in\": [1, \"d\"], \"out\": \"r\"},"
                 "{\"op\": \"clamp\", \"in\": [\"r\"], \"out\": \"y\", \"min\": -5, \"max\": 5}]");

    (void)state;
    assert_false(tried.is_fair[VARIATION_HUGE]);
}

/*
 * Deep rows are multiples of 128, which both 16-bit types hold, so that a softmax which is written
 * as a difference from the largest element is exact there. A kernel's maximum may begin too high.
 */
static void deep_rows_are_fair_in_class_mixed(void **state)
{
    struct tried tried = tried_in_mixed(
        "\"dims\": {}, \"tensors\": {"
        "\"x\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [8, 48],"
        " \"fill\": {\"normal\": [0, 1]}},"
        "\"y\": {\"role\": \"output\", \"dtype\": \"f32\", \"shape\": [8, 48]}},"
        "\"graph\": [{\"op\": \"max\", \"in\": [\"x\"], \"dim\": 1, \"keepdim\": true,"
        " \"out\": \"m\"}, {\"op\": \"sub\", \"in\": [\"x\", \"m\"], \"out\": \"d\"},"
        "{\"op\": \"exp\", \"in\": [\"d\"], \"out\": \"e\"},"
        "{\"op\": \"sum\", \"in\": [\"e\"], \"dim\": 1, \"keepdim\": true, \"out\": \"s\"},"
        "{\"op\": \"div\", \"in\": [\"e\", \"s\"], \"out\": \"y\"}]");

    (void)state;
    assert_true(tried.is_fair[VARIATION_DEEP]);
}

/* Deep elements have an order, so that the place of the second largest one is tried there. */
static void deep_elements_have_an_order(void **state)
{
    struct tried tried =
        tried_on("\"dims\": {}, \"tensors\": {"
                 "\"x\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [8, 48],"
                 " \"fill\": {\"normal\": [0, 1]}},"
                 "\"z\": {\"role\": \"output\", \"dtype\": \"f32\", \"shape\": [8, 48]},"
                 "\"y\": {\"role\": \"output\", \"dtype\": \"i64\", \"shape\": [8]}},"
                 "\"graph\": [{\"op\": \"softmax\", \"in\": [\"x\"], \"out\": \"z\", \"dim\": 1},"
                 "{\"op\": \"gt\", \"in\": [\"z\", 0.5], \"out\": \"c\"},"
                 "{\"op\": \"where\", \"in\": [\"c\", -1e30, \"x\"], \"out\": \"o\"},"
                 "{\"op\": \"argmax\", \"in\": [\"o\"], \"out\": \"y\", \"dim\": 1}]");

    (void)state;
    assert_true(tried.is_fair[VARIATION_DEEP]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(deep_rows_are_fair_in_class_mixed),
        cmocka_unit_test(deep_elements_have_an_order),
        cmocka_unit_test(data_that_underflow_before_a_division_are_unfair),
        cmocka_unit_test(data_that_cancel_before_a_division_are_unfair),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
