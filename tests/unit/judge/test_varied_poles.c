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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(data_that_underflow_before_a_division_are_unfair),
        cmocka_unit_test(data_that_cancel_before_a_division_are_unfair),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
