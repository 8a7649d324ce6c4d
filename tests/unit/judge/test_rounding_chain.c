#include "tests/unit/unit.h"

#include <math.h>

#include "core/base/strbuf.h"
#include "core/judge/oracle/rounding/second_evaluation.h"
#include "tests/unit/rounding_fixture.h"

/*
 * Recurrences that are written out, as the variance of a Kalman filter: in p / (p + r) both
 * operands have one error, and the errors of all steps are added up if they are taken for
 * independent.
 */

enum { ROWS = 40 };

/* p becomes p r / (p + r) + 1/64 in each step; y is the last one, times x. */
static struct rounding_task open_filter(const char *class, size_t steps)
{
    struct strbuf text = {0};
    struct rounding_task task;

    strbuf_adds(&text,
                "\"tensors\": {\"p0\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [40],"
                " \"fill\": {\"uniform\": [0.5, 2]}}, \"r\": {\"role\": \"input\","
                " \"dtype\": \"f32\", \"shape\": [40], \"fill\": {\"uniform\": [0.1, 0.5]}},"
                " \"y\": {\"role\": \"output\", \"dtype\": \"f32\", \"shape\": [40]}},"
                "\"graph\": [");
    for (size_t k = 0; k < steps; k++)
        strbuf_addf(&text,
                    "{\"op\": \"add\", \"in\": [\"p%zu\", \"r\"], \"out\": \"s%zu\"},"
                    "{\"op\": \"div\", \"in\": [\"p%zu\", \"s%zu\"], \"out\": \"k%zu\"},"
                    "{\"op\": \"mul\", \"in\": [\"k%zu\", \"r\"], \"out\": \"q%zu\"},"
                    "{\"op\": \"add\", \"in\": [\"q%zu\", 0.015625], \"out\": \"p%zu\"},",
                    k, k, k, k, k, k, k, k, k + 1);
    strbuf_addf(&text, "{\"op\": \"mul\", \"in\": [\"p%zu\", \"r\"], \"out\": \"y\"}]", steps);
    task = rounding_task_open(class, strbuf_cstr(&text));
    strbuf_release(&text);
    return task;
}

/* Round a number to the 16-bit type bf16. */
static double to_16(double x)
{
    double got;
    uint16_t stored;

    dtype_from_double(DTYPE_BF16, &x, &stored, 1);
    dtype_to_double(DTYPE_BF16, &stored, &got, 1);
    return got;
}

/* A kernel that stores all numbers in 16 bits or in float32, and is off by a share at the end. */
static double filter_error(const char *class, size_t steps, bool is_16, double off)
{
    struct rounding_task t = open_filter(class, steps);
    double got[ROWS], error;

    for (size_t i = 0; i < ROWS; i++) {
        double p = rounding_task_given(&t, "p0")[i], r = rounding_task_given(&t, "r")[i];

        p = is_16 ? to_16(p) : p;
        r = is_16 ? to_16(r) : r;
        for (size_t k = 0; k < steps; k++) {
            p = (double)((float)p * ((float)r / ((float)p + (float)r)) + 0.015625F);
            p = is_16 ? to_16(p) : p;
        }
        got[i] = p * r * (1 + off);
    }
    error = rounding_task_error(&t, got);
    rounding_task_close(&t);
    return error;
}

static void honest_kernels_pass(void **state)
{
    (void)state;
    for (size_t steps = 1; steps <= 100; steps += 9) {
        assert_true(filter_error("f32", steps, false, 0) <= 0.5);
        assert_true(filter_error("mixed", steps, true, 0) <= 0.5);
        assert_true(filter_error("mixed", steps, false, 0) <= 0.5);
    }
}

static void wrong_kernels_are_found_after_many_steps(void **state)
{
    (void)state;
    assert_true(filter_error("f32", 50, false, 1e-4) > 1);
    assert_true(filter_error("mixed", 50, false, 0.4) > 1);
}

/* A graph of some elementwise operations is evaluated as often as before. */
static void few_operations_are_no_chain(void **state)
{
    struct rounding_task few = open_filter("f32", 4), many = open_filter("f32", 20);

    (void)state;
    assert_false(second_evaluation_of(&few.graph, &few.rounding).is_chain);
    assert_true(second_evaluation_of(&many.graph, &many.rounding).is_chain);
    rounding_task_close(&few);
    rounding_task_close(&many);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(honest_kernels_pass),
        cmocka_unit_test(wrong_kernels_are_found_after_many_steps),
        cmocka_unit_test(few_operations_are_no_chain),
    };

    return cmocka_run_group_tests_name("rounding_chain", tests, NULL, NULL);
}
