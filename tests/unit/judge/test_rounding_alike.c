#include "tests/unit/unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/judge/oracle/rounding/alike.h"
#include "tests/unit/rounding_fixture.h"

/*
 * Sums of which three of five terms are equal and the others are not: float32 loops over multiples
 * of the terms, as of exponentials in place of shares, err in one direction at some multiples.
 */

enum { ROWS = 2, DEPTH = 4096, WIDTH = 3 };

static struct rounding_task open_product(void)
{
    return rounding_task_open(
        "f32", "\"tensors\": {\"a\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [2, "
               "4096], \"fill\": {\"uniform\": [-1, 2]}},"
               "\"b\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [4096, 3], \"fill\": "
               "{\"uniform\": [-1, 2]}},"
               "\"y\": {\"role\": \"output\", \"dtype\": \"f32\", \"shape\": [2, 3]}},"
               "\"graph\": [{\"op\": \"clamp\", \"in\": [\"a\"], \"out\": \"as\", \"min\": 0.8},"
               "{\"op\": \"clamp\", \"in\": [\"b\"], \"out\": \"bs\", \"min\": 0.7},"
               "{\"op\": \"matmul\", \"in\": [\"as\", \"bs\"], \"out\": \"y\"}]");
}

/* All logits are 0, so that sums of the shares are exact, and the values are those of `b` above. */
static struct rounding_task open_attention(void)
{
    return rounding_task_open(
        "f32", "\"tensors\": {\"q\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [1, 1, "
               "2, 1], \"fill\": {\"constant\": 0}},"
               "\"k\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [1, 1, 4096, 1], "
               "\"fill\": {\"uniform\": [-1, 2]}},"
               "\"v\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [1, 1, 4096, 3], "
               "\"fill\": {\"uniform\": [-1, 2]}},"
               "\"y\": {\"role\": \"output\", \"dtype\": \"f32\", \"shape\": [1, 1, 2, 3]}},"
               "\"graph\": [{\"op\": \"clamp\", \"in\": [\"v\"], \"out\": \"b\", \"min\": 0.7},"
               "{\"op\": \"scaled_dot_product_attention\", \"in\": [\"q\", \"k\", \"b\"], "
               "\"out\": \"y\", \"scale\": 1.0}]");
}

/* The factors of row `row` in the order of a loop, and the sum that results are divided by. */
static double factors_of(const struct rounding_task *t, bool is_attention, size_t row,
                         double *factors)
{
    double total = 0;

    for (size_t k = 0; k < DEPTH; k++) {
        factors[k] = is_attention ? 1 : fmax(rounding_task_given(t, "a")[row * DEPTH + k], 0.8);
        total += factors[k];
    }
    return is_attention ? total : 1;
}

/* Results of loops over `scale` times the terms, without the last `left_out`. */
static void compute(const struct rounding_task *t, bool is_attention, double scale, size_t left_out,
                    double *got)
{
    const double *b = rounding_task_given(t, is_attention ? "v" : "b");
    double factors[DEPTH];

    for (size_t i = 0; i < ROWS; i++) {
        double total = factors_of(t, is_attention, i, factors);

        for (size_t j = 0; j < WIDTH; j++) {
            float sum = 0;

            for (size_t k = 0; k < DEPTH - left_out; k++)
                sum = fmaf((float)(factors[k] * scale), (float)fmax(b[k * WIDTH + j], 0.7), sum);
            got[i * WIDTH + j] = (double)(float)((double)sum / scale / total);
        }
    }
}

/* The largest error at any of these scales, as a multiple of the tolerance. */
static double worst_of(const struct rounding_task *t, bool is_attention)
{
    double got[ROWS * WIDTH], worst = 0;

    for (int i = 0; i < 16; i++) {
        compute(t, is_attention, 1 + i / 16.0, 0, got);
        worst = fmax(worst, rounding_task_error(t, got));
    }
    return worst;
}

static void loops_over_equal_terms_pass(void **state)
{
    (void)state;
    for (int is_attention = 0; is_attention < 2; is_attention++) {
        struct rounding_task t = is_attention ? open_attention() : open_product();
        double got[ROWS * WIDTH], worst = worst_of(&t, is_attention);

        if (!(worst <= 1 && worst > 0.2))
            fail_msg("%g times the tolerance", worst);
        compute(&t, is_attention, 1, 1, got);
        assert_true(rounding_task_error(&t, got) > 1);
        rounding_task_close(&t);
    }
}

/* Means of numbers of which most are 1: their sums are exact, unless each is divided first. */
static void means_of_divided_elements_pass(void **state)
{
    struct rounding_task t = rounding_task_open(
        "f32", "\"tensors\": {\"x\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [2, "
               "4096], \"fill\": {\"uniform\": [0, 9]}},"
               "\"y\": {\"role\": \"output\", \"dtype\": \"f32\", \"shape\": [2]}},"
               "\"graph\": [{\"op\": \"slice\", \"in\": [\"x\"], \"out\": \"some\", \"dim\": 1, "
               "\"end\": 3000},{\"op\": \"clamp\", \"in\": [\"some\"], \"out\": \"a\", \"max\": "
               "1},{\"op\": \"mean\", \"in\": [\"a\"], \"out\": \"y\", \"dim\": 1}]");
    const double *x = rounding_task_given(&t, "x");
    double got[2];

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        float sum = 0;

        for (size_t k = 0; k < 3000; k++)
            sum += (float)fmin(x[i * DEPTH + k], 1) * (1.0F / 3000);
        got[i] = (double)sum;
    }
    assert_true(rounding_task_error(&t, got) <= 1);
    for (size_t i = 0; i < 2; i++)
        got[i] = rounding_task_expected(&t)[i] * 2999 / 3000;
    assert_true(rounding_task_error(&t, got) > 1);
    rounding_task_close(&t);
}

/* Numbers without a frequent one, and zeros, whose terms round nothing. */
static void other_rows_have_no_share(void **state)
{
    double x[DEPTH], zeros[DEPTH] = {0};
    const struct alike_rows row = {1, DEPTH, 1, DEPTH};

    (void)state;
    for (size_t i = 0; i < DEPTH; i++)
        x[i] = sin((double)i);
    assert_true(alike_of(x, &row, 0, DEPTH).share == 0);
    assert_true(alike_of(zeros, &row, 0, DEPTH).share == 0);
    for (size_t i = 0; i < DEPTH; i += 2)
        x[i] = -1.3;
    assert_true(fabs(alike_of(x, &row, 0, DEPTH).share - 0.5) < 0.15);
    assert_true(alike_of(x, &row, 0, DEPTH).number == 1.3);
    x[0] = (double)NAN;
    x[2] = (double)INFINITY;
    assert_true(alike_of(x, &row, 0, DEPTH).number == 1.3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loops_over_equal_terms_pass),
        cmocka_unit_test(means_of_divided_elements_pass),
        cmocka_unit_test(other_rows_have_no_share),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
