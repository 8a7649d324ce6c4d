#include "tests/unit/unit.h"

#include "tests/unit/rounding_fixture.h"

/* Running products in blocks, and sums over them: blocks of equal elements have equal errors. */

enum { COUNT = 3000, BLOCK = 47 };

static const char scan_body[] =
    "\"tensors\": {\"a\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [3000],"
    " \"fill\": {\"constant\": 1.0037}},"
    " \"y\": {\"role\": \"output\", \"dtype\": \"f32\", \"shape\": [3000]}},"
    "\"graph\": [{\"op\": \"cumprod\", \"in\": [\"a\"], \"out\": \"p\", \"dim\": 0},"
    " {\"op\": \"cumsum\", \"in\": [\"p\"], \"out\": \"y\", \"dim\": 0}]";

/* Each block is multiplied and added by itself, and then joined to those before; `skipped` is left
 * out of the products. */
static void scan_blocks(const double *a, size_t skipped, double *y)
{
    float before = 1, sum_before = 0;

    for (size_t first = 0; first < COUNT; first += BLOCK) {
        float product = 1, sum = 0;

        for (size_t i = first; i < first + BLOCK && i < COUNT; i++) {
            product *= i == skipped ? 1 : (float)a[i];
            sum += product;
            y[i] = (double)(sum_before + before * sum);
        }
        sum_before += before * sum;
        before *= product;
    }
}

static double scan_error(size_t skipped)
{
    struct rounding_task t = rounding_task_open("f32", scan_body);
    double got[COUNT], error;

    scan_blocks(rounding_task_given(&t, "a"), skipped, got);
    error = rounding_task_error(&t, got);
    rounding_task_close(&t);
    return error;
}

static void blocks_of_equal_elements_pass(void **state)
{
    (void)state;
    assert_true(scan_error(COUNT) <= 1);
    assert_true(scan_error(COUNT / 2) > 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_of_equal_elements_pass),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
