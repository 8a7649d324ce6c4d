#include "tests/unit/unit.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/strbuf.h"
#include "core/judge/oracle/rounding/spread_rowwise.h"
#include "core/judge/oracle/rounding/spread_sum.h"
#include "tests/unit/rounding_fixture.h"

/*
 * A chain of softmaxes whose scores are 8 million and nearly equal. The shares may be far off, but
 * their errors add up to 0, so that their products with nearly equal rows are nearly exact.
 */

enum { ROWS = 16, WIDTH = 8, LAYERS = 6 };

static struct rounding_task open_chain(void)
{
    struct strbuf body = {0};
    struct rounding_task task;

    strbuf_adds(&body, "'tensors': {'z0': {'role': 'input', 'dtype': 'f32', 'shape': [16, 8], "
                       "'fill': {'uniform': [100, 100.0001]}}, "
                       "'y': {'role': 'output', 'dtype': 'f32', 'shape': [16, 8]}}, 'graph': [");
    for (int i = 0; i < LAYERS; i++) {
        strbuf_addf(&body, "{'op': 'permute', 'in': ['z%d'], 'dims': [1, 0], 'out': 't%d'},", i, i);
        strbuf_addf(&body, "{'op': 'matmul', 'in': ['z%d', 't%d'], 'out': 'q%d'},", i, i, i);
        strbuf_addf(&body, "{'op': 'mul', 'in': ['q%d', 100], 'out': 's%d'},", i, i);
        strbuf_addf(&body, "{'op': 'softmax', 'in': ['s%d'], 'dim': 1, 'out': 'p%d'},", i, i);
        strbuf_addf(&body, "{'op': 'matmul', 'in': ['p%d', 'z%d'], 'out': 'z%d'},", i, i, i + 1);
    }
    strbuf_addf(&body, "{'op': 'mul', 'in': ['z%d', 1], 'out': 'y'}]", LAYERS);
    for (size_t i = 0; i < body.len; i++)
        if (body.data[i] == '\'')
            body.data[i] = '"';
    task = rounding_task_open("f32", strbuf_cstr(&body));
    strbuf_release(&body);
    return task;
}

/* The shares of a row in float32. */
static void weigh(float z[ROWS][WIDTH], const float *row, float shares[ROWS])
{
    float most = -INFINITY, total = 0;

    for (size_t i = 0; i < ROWS; i++) {
        float score = 0;

        for (size_t k = 0; k < WIDTH; k++)
            score += row[k] * z[i][k];
        shares[i] = score * 100;
        most = fmaxf(most, shares[i]);
    }
    for (size_t i = 0; i < ROWS; i++) {
        shares[i] = expf(shares[i] - most);
        total += shares[i];
    }
    for (size_t i = 0; i < ROWS; i++)
        shares[i] /= total;
}

static void compute_layer(float z[ROWS][WIDTH])
{
    float shares[ROWS], y[ROWS][WIDTH] = {{0}};

    for (size_t i = 0; i < ROWS; i++) {
        weigh(z, z[i], shares);
        for (size_t j = 0; j < ROWS; j++)
            for (size_t k = 0; k < WIDTH; k++)
                y[i][k] += shares[j] * z[j][k];
    }
    for (size_t i = 0; i < ROWS; i++)
        for (size_t k = 0; k < WIDTH; k++)
            z[i][k] = y[i][k];
}

/* The error of a kernel in float32 whose results are multiplied by `factor`. */
static double error_of(double factor)
{
    struct rounding_task task = open_chain();
    const double *given = rounding_task_given(&task, "z0");
    float z[ROWS][WIDTH];
    double got[ROWS * WIDTH], error;

    for (size_t i = 0; i < (size_t)ROWS * WIDTH; i++)
        z[i / WIDTH][i % WIDTH] = (float)given[i];
    for (int i = 0; i < LAYERS; i++)
        compute_layer(z);
    for (size_t i = 0; i < (size_t)ROWS * WIDTH; i++)
        got[i] = (double)z[i / WIDTH][i % WIDTH] * factor;
    error = rounding_task_error(&task, got);
    rounding_task_close(&task);
    return error;
}

static void a_chain_of_softmaxes_keeps_a_tolerance_of_use(void **state)
{
    (void)state;
    assert_true(error_of(1) < 1);
    assert_true(error_of(1.0001) > 1);
}

/* The largest of all terms leaves no digits of the others if it is subtracted from their sum. */
static void a_share_of_one_has_the_errors_of_the_others(void **state)
{
    const double x[] = {1e9, 0}, given[] = {1e14, 0}, y[] = {1, 0};
    double variance[2];

    (void)state;
    spread_rowwise_weights(x, given, y, 2, variance);
    assert_true(variance[0] < 1e-10);
}

/* However large the errors are, no share leaves the range from 0 to 1. */
static void shares_stay_in_their_range(void **state)
{
    const double x[] = {0, 1}, given[] = {1e9, 1e9}, y[] = {0.25, 0.75};
    double variance[2];

    (void)state;
    spread_rowwise_weights(x, given, y, 2, variance);
    assert_true(8 * sqrt(variance[0]) <= 0.75 + 1e-12);
    assert_true(8 * sqrt(variance[1]) <= 0.75 + 1e-12);
}

static void results_of_norms_stay_in_their_range(void **state)
{
    const double x[] = {1, -1, 1, -1}, given[] = {1e6, 1e6, 1e6, 1e6}, y[] = {1, -1, 1, -1};
    const struct attribute eps = {.number = 1e-6};
    const struct spread_line line = {
        .values = {.x = x, .n = 4, .attributes = &eps}, .y = y, .variance = given};
    double variance[4];

    (void)state;
    spread_rowwise_layer_norm(&line, variance);
    for (size_t i = 0; i < 4; i++)
        assert_true(8 * sqrt(variance[i]) <= 3.001);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chain_of_softmaxes_keeps_a_tolerance_of_use),
        cmocka_unit_test(a_share_of_one_has_the_errors_of_the_others),
        cmocka_unit_test(shares_stay_in_their_range),
        cmocka_unit_test(results_of_norms_stay_in_their_range),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
