#include "tests/unit/unit.h"

#include <math.h>

#include "core/base/strbuf.h"
#include "core/judge/oracle/second_evaluation.h"
#include "tests/unit/rounding_fixture.h"

/*
 * A chain of layers that each multiply by a weight, subtract the mean of a column and divide by its
 * deviation. A kernel in float32 passes however many there are, and one whose last mean leaves
 * some rows out does not.
 */

enum { ROWS = 64, WIDTH = 16, MOST_LAYERS = 24 };

/* Append the nodes of a layer, from z<i> to z<i + 1>; the last one makes y. */
static void add_layer(struct strbuf *graph, int i, bool is_last)
{
    strbuf_addf(graph, "{'op': 'matmul', 'in': ['z%d', 'w'], 'out': 'p%d'},", i, i);
    strbuf_addf(graph, "{'op': 'mean', 'in': ['p%d'], 'dim': [0], 'keepdim': true, 'out': 'm%d'},",
                i, i);
    strbuf_addf(graph, "{'op': 'var', 'in': ['p%d'], 'dim': [0], 'keepdim': true, 'out': 'v%d'},",
                i, i);
    strbuf_addf(graph, "{'op': 'sub', 'in': ['p%d', 'm%d'], 'out': 'c%d'},", i, i, i);
    strbuf_addf(graph, "{'op': 'rsqrt', 'in': ['v%d'], 'out': 's%d'},", i, i);
    strbuf_addf(graph, "{'op': 'mul', 'in': ['c%d', 's%d'], 'out': ", i, i);
    if (is_last)
        strbuf_adds(graph, "'y'}");
    else
        strbuf_addf(graph, "'z%d'},", i + 1);
}

static struct rounding_task open_chain(int layers)
{
    struct strbuf body = {0};
    struct rounding_task task;

    strbuf_adds(
        &body,
        "'tensors': {"
        "'z0': {'role': 'input', 'dtype': 'f32', 'shape': [64, 16], 'fill': {'normal': [0, 1]}},"
        "'w': {'role': 'input', 'dtype': 'f32', 'shape': [16, 16], 'fill': {'normal': [0, 1]}},"
        "'y': {'role': 'output', 'dtype': 'f32', 'shape': [64, 16]}}, 'graph': [");
    for (int i = 0; i < layers; i++)
        add_layer(&body, i, i == layers - 1);
    strbuf_adds(&body, "]");
    for (size_t i = 0; i < body.len; i++)
        if (body.data[i] == '\'')
            body.data[i] = '"';
    task = rounding_task_open("f32", strbuf_cstr(&body));
    strbuf_release(&body);
    return task;
}

/* A layer in float32, of which the mean counts so many rows. */
static void compute_layer(float x[ROWS][WIDTH], const double *w, int counted)
{
    float p[ROWS][WIDTH] = {{0}};

    for (size_t i = 0; i < ROWS; i++)
        for (size_t j = 0; j < WIDTH; j++)
            for (size_t k = 0; k < WIDTH; k++)
                p[i][j] += x[i][k] * (float)w[k * WIDTH + j];
    for (size_t j = 0; j < WIDTH; j++) {
        float mean = 0, squares = 0;

        for (int i = 0; i < counted; i++)
            mean += p[i][j] / (float)counted;
        for (size_t i = 0; i < ROWS; i++)
            squares += (p[i][j] - mean) * (p[i][j] - mean);
        for (size_t i = 0; i < ROWS; i++)
            x[i][j] = (p[i][j] - mean) / sqrtf(squares / (ROWS - 1));
    }
}

/* The error of a kernel whose last mean counts so many rows, as a multiple of the tolerance. */
static double error_of(int layers, int counted)
{
    struct rounding_task task = open_chain(layers);
    const double *given = rounding_task_given(&task, "z0"), *w = rounding_task_given(&task, "w");
    float x[ROWS][WIDTH];
    double got[ROWS * WIDTH], error;

    for (size_t i = 0; i < (size_t)ROWS * WIDTH; i++)
        x[i / WIDTH][i % WIDTH] = (float)given[i];
    for (int i = 0; i < layers; i++)
        compute_layer(x, w, i == layers - 1 ? counted : ROWS);
    for (size_t i = 0; i < (size_t)ROWS * WIDTH; i++)
        got[i] = (double)x[i / WIDTH][i % WIDTH];
    error = rounding_task_error(&task, got);
    rounding_task_close(&task);
    return error;
}

static void honest_kernels_pass_at_each_depth(void **state)
{
    (void)state;
    for (int layers = 1; layers <= MOST_LAYERS; layers += layers < 4 ? 1 : 5)
        assert_true(error_of(layers, ROWS) < 0.5);
}

static void a_row_that_is_left_out_is_found_at_each_depth(void **state)
{
    (void)state;
    for (int layers = 1; layers <= MOST_LAYERS; layers += layers < 4 ? 1 : 5)
        assert_true(error_of(layers, ROWS - 1) > 1);
}

static void few_layers_are_not_deep(void **state)
{
    struct rounding_task few = open_chain(2), many = open_chain(MOST_LAYERS);
    struct second_evaluation second = second_evaluation_of(&few.graph, &few.rounding);

    (void)state;
    assert_false(second.rounds);
    assert_true(isinf(second.margin));
    second = second_evaluation_of(&many.graph, &many.rounding);
    assert_true(second.rounds);
    assert_true(isfinite(second.margin));
    rounding_task_close(&few);
    rounding_task_close(&many);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(honest_kernels_pass_at_each_depth),
        cmocka_unit_test(a_row_that_is_left_out_is_found_at_each_depth),
        cmocka_unit_test(few_layers_are_not_deep),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
