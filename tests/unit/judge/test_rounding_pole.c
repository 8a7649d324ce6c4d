#include "tests/unit/unit.h"

#include <math.h>
#include <stdio.h>

#include "tests/unit/rounding_fixture.h"

/* 1 - sigmoid(20) is 0 in float32, and its logarithm an infinity that the clamp makes -100. */
static void logarithms_of_what_rounding_leaves_of_a_small_number_pass(void **state)
{
    static const double given[] = {20, 3};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        char text[512];
        struct rounding_task t;
        double got, chance;

        (void)snprintf(
            text, sizeof(text),
            "\"tensors\": {\"x\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [4],"
            " \"fill\": {\"constant\": %g}},"
            " \"y\": {\"role\": \"output\", \"dtype\": \"f32\", \"shape\": []}},"
            "\"graph\": [{\"op\": \"sigmoid\", \"in\": [\"x\"], \"out\": \"p\"},"
            "{\"op\": \"sub\", \"in\": [1, \"p\"], \"out\": \"q\"},"
            "{\"op\": \"log\", \"in\": [\"q\"], \"out\": \"l\"},"
            "{\"op\": \"clamp\", \"in\": [\"l\"], \"min\": -100, \"out\": \"c\"},"
            "{\"op\": \"mean\", \"in\": [\"c\"], \"out\": \"y\"}]",
            given[i]);
        t = rounding_task_open("f32", text);
        chance = 1 - (double)(float)(1 / (1 + exp(-given[i])));
        got = fmax(log(chance), -100);
        assert_true(rounding_task_error(&t, &got) < 1);
        got = rounding_task_expected(&t)[0] - 200;
        assert_true(rounding_task_error(&t, &got) > 1);
        rounding_task_close(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(logarithms_of_what_rounding_leaves_of_a_small_number_pass),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
