#include "tests/unit/unit.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/array.h"
#include "tests/unit/rounding_fixture.h"

/* Squared distances of all pairs of rows. */

enum { ROWS = 40, COORDINATES = 16 };

static struct rounding_task open_distances(const char *class)
{
    return rounding_task_open(
        class, "\"tensors\": {\"x\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [40, "
               "16], \"fill\": {\"normal\": [0, 1]}},"
               "\"y\": {\"role\": \"output\", \"dtype\": \"f32\", \"shape\": [40, 40]}},"
               "\"graph\": [{\"op\": \"reshape\", \"in\": [\"x\"], \"out\": \"a\", \"shape\": "
               "[40, 1, 16]},"
               "{\"op\": \"reshape\", \"in\": [\"x\"], \"out\": \"b\", \"shape\": [1, 40, 16]},"
               "{\"op\": \"sub\", \"in\": [\"a\", \"b\"], \"out\": \"d\"},"
               "{\"op\": \"mul\", \"in\": [\"d\", \"d\"], \"out\": \"s\"},"
               "{\"op\": \"sum\", \"in\": [\"s\"], \"out\": \"y\", \"dim\": -1}]");
}

/* The product of two rows, without their last `left_out` coordinates. */
static float product_of(const double *a, const double *b, size_t left_out)
{
    float sum = 0;

    for (size_t k = 0; k < COORDINATES - left_out; k++)
        sum = fmaf((float)a[k], (float)b[k], sum);
    return sum;
}

/* |a|^2 - 2 a b + |b|^2 for each pair. */
static void compute_by_products(const struct rounding_task *t, size_t left_out, double *got)
{
    const double *x = rounding_task_given(t, "x");

    for (size_t i = 0; i < ROWS; i++)
        for (size_t j = 0; j < ROWS; j++) {
            const double *a = x + (i * COORDINATES), *b = x + (j * COORDINATES);
            float norms = product_of(a, a, 0) + product_of(b, b, 0);

            got[i * ROWS + j] = fmax((double)(norms - 2 * product_of(a, b, left_out)), 0);
        }
}

static void distances_by_products_pass(void **state)
{
    struct rounding_task t = open_distances("f32");
    double got[ROWS * ROWS];

    (void)state;
    for (uint64_t seed = 1; seed < 20; seed++) {
        rounding_task_draw(&t, seed, false);
        compute_by_products(&t, 0, got);
        assert_true(rounding_task_error(&t, got) <= 1);
    }
    compute_by_products(&t, 1, got);
    assert_true(rounding_task_error(&t, got) > 1000);
    for (size_t i = 0; i < COUNT(got); i++)
        got[i] = rounding_task_expected(&t)[i] * (1 + 1e-4);
    assert_true(rounding_task_error(&t, got) > 10);
    rounding_task_close(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distances_by_products_pass),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
