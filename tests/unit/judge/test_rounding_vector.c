#include "tests/unit/unit.h"

#include <math.h>
#include <stdio.h>

#include "core/base/array.h"
#include "tests/unit/rounding_fixture.h"

/*
 * Products with one row or one column whose partial sums are far larger than their results: the
 * first half of the products is about 1, and the second about -1.
 */

enum { DEPTH = 16384, COLUMNS = 5 };

/* y = a b, where a has one row, or b one column if `is_column`. */
static struct rounding_task open_product(bool is_column)
{
    char text[1024];

    (void)snprintf(
        text, sizeof(text),
        "\"tensors\": {\"a\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [%d, %d], "
        "\"fill\": {\"uniform\": [0.9, 1.1]}},"
        "\"b\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [%d, %d], "
        "\"fill\": {\"uniform\": [0.9, 1.1]}},"
        "\"i\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [%d, %d], \"fill\": "
        "{\"constant\": 1}},"
        "\"y\": {\"role\": \"output\", \"dtype\": \"f32\", \"shape\": [%d, %d]}},"
        "\"graph\": [{\"op\": \"slice\", \"in\": [\"i\"], \"out\": \"one\", \"dim\": %d, \"end\": "
        "%d},"
        "{\"op\": \"neg\", \"in\": [\"one\"], \"out\": \"minus\"},"
        "{\"op\": \"concat\", \"in\": [\"one\", \"minus\"], \"out\": \"s\", \"dim\": %d},"
        "{\"op\": \"mul\", \"in\": [\"%s\", \"s\"], \"out\": \"c\"},"
        "{\"op\": \"matmul\", \"in\": [\"%s\", \"%s\"], \"out\": \"y\"}]",
        is_column ? COLUMNS : 1, DEPTH, DEPTH, is_column ? 1 : COLUMNS, is_column ? DEPTH : 1,
        is_column ? 1 : DEPTH, is_column ? COLUMNS : 1, is_column ? 1 : COLUMNS, is_column ? 0 : 1,
        DEPTH / 2, is_column ? 0 : 1, is_column ? "b" : "a", is_column ? "a" : "c",
        is_column ? "c" : "b");
    return rounding_task_open("f32", text);
}

/* Product k of element `e`, as a kernel rounds it. */
static float product_of(const struct rounding_task *t, bool is_column, size_t e, size_t k)
{
    const double *a = rounding_task_given(t, "a"), *b = rounding_task_given(t, "b");
    float x = is_column ? (float)a[e * DEPTH + k] : (float)a[k];
    float y = is_column ? (float)b[k] : (float)b[k * COLUMNS + e];

    return (k < DEPTH / 2 ? x : -x) * y;
}

/* Sum `n` products from `first` on, in blocks of at most `block`. */
static float sum_blocks(const float *x, size_t n, size_t block)
{
    float sum = 0;

    for (size_t i = 0; i < n; i += block) {
        float part = 0;

        for (size_t k = i; k < n && k < i + block; k++)
            part += x[k];
        sum += part;
    }
    return sum;
}

/* Add neighbours until one sum is left, which overwrites the products. */
static float sum_pairs(float *x, size_t n)
{
    for (size_t step = 1; step < n; step *= 2)
        for (size_t i = 0; i < n; i += 2 * step)
            x[i] += x[i + step];
    return x[0];
}

/* Results with one way to sum; the last leaves a product out. */
static void compute(const struct rounding_task *t, bool is_column, size_t way, double *got)
{
    static float x[DEPTH], back[DEPTH];

    for (size_t e = 0; e < COLUMNS; e++) {
        for (size_t k = 0; k < DEPTH; k++)
            x[k] = back[DEPTH - 1 - k] = product_of(t, is_column, e, k);
        got[e] = way == 0   ? (double)sum_blocks(x, DEPTH, DEPTH)
                 : way == 1 ? (double)sum_blocks(back, DEPTH, DEPTH)
                 : way == 2 ? (double)sum_blocks(x, DEPTH, 256)
                 : way == 3 ? (double)sum_pairs(x, DEPTH)
                            : (double)sum_blocks(x, DEPTH - 1, DEPTH);
    }
}

static void sums_in_any_order_pass(void **state)
{
    (void)state;
    for (size_t is_column = 0; is_column < 2; is_column++) {
        struct rounding_task t = open_product(is_column);
        double got[COLUMNS];

        for (size_t way = 0; way < 4; way++) {
            compute(&t, is_column, way, got);
            if (!(rounding_task_error(&t, got) <= 1))
                fail_msg("way %zu: %g times the tolerance", way, rounding_task_error(&t, got));
        }
        compute(&t, is_column, 4, got);
        assert_true(rounding_task_error(&t, got) > 1);
        rounding_task_close(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_in_any_order_pass),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
