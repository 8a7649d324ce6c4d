#include "tests/unit/unit.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/strbuf.h"
#include "core/judge/oracle/rounding/second_evaluation.h"
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

/* Open a problem whose quotation marks are written as apostrophes. */
static struct rounding_task open_text(const char *class, struct strbuf *body)
{
    struct rounding_task task;

    for (size_t i = 0; i < body->len; i++)
        if (body->data[i] == '\'')
            body->data[i] = '"';
    task = rounding_task_open(class, strbuf_cstr(body));
    strbuf_release(body);
    return task;
}

static struct rounding_task open_chain(int layers)
{
    struct strbuf body = {0};

    strbuf_adds(
        &body,
        "'tensors': {"
        "'z0': {'role': 'input', 'dtype': 'f32', 'shape': [64, 16], 'fill': {'normal': [0, 1]}},"
        "'w': {'role': 'input', 'dtype': 'f32', 'shape': [16, 16], 'fill': {'normal': [0, 1]}},"
        "'y': {'role': 'output', 'dtype': 'f32', 'shape': [64, 16]}}, 'graph': [");
    for (int i = 0; i < layers; i++)
        add_layer(&body, i, i == layers - 1);
    strbuf_adds(&body, "]");
    return open_text("f32", &body);
}

/*
 * Open a chain of products and layer norms over 8 elements. With `steps` each layer multiplies by
 * a comparison, which has errors of 0 or 1.
 */
static struct rounding_task open_norms(int layers, bool steps)
{
    struct strbuf body = {0};

    strbuf_adds(
        &body,
        "'tensors': {"
        "'z0': {'role': 'input', 'dtype': 'f32', 'shape': [64, 8], 'fill': {'normal': [0, 1]}},"
        "'w': {'role': 'param', 'dtype': 'f32', 'shape': [8, 8], 'fill': {'normal': [0, 1]}},"
        "'y': {'role': 'output', 'dtype': 'f32', 'shape': [64, 8]}}, 'graph': [");
    for (int i = 0; i < layers; i++) {
        strbuf_addf(&body, "{'op': 'matmul', 'in': ['z%d', 'w'], 'out': 'p%d'},", i, i);
        strbuf_addf(&body, "{'op': 'layer_norm', 'in': ['p%d'], 'out': 'n%d'},", i, i);
        if (steps)
            strbuf_addf(&body, "{'op': 'gt', 'in': ['n%d', 'p%d'], 'out': 'g%d'},", i, i, i);
        strbuf_addf(&body, "{'op': '%s', 'in': ['n%d', '%c%d'], 'out': 'z%d'},",
                    steps ? "mul" : "add", i, steps ? 'g' : 'n', i, i + 1);
    }
    strbuf_addf(&body, "{'op': 'mul', 'in': ['z%d', 'z%d'], 'out': 'y'}]", layers, layers);
    return open_text("f32", &body);
}

/* Open a chain of products of tiny numbers, in class mixed. */
static struct rounding_task open_tiny(int layers)
{
    struct strbuf body = {0};

    strbuf_adds(
        &body,
        "'tensors': {"
        "'z0': {'role': 'input', 'dtype': 'f32', 'shape': [64, 16], 'fill': {'normal': [0, 1e-6]}},"
        "'w': {'role': 'param', 'dtype': 'f32', 'shape': [16, 16], 'fill': {'normal': [0, 0.25]}},"
        "'y': {'role': 'output', 'dtype': 'f32', 'shape': [64, 16]}}, 'graph': [");
    for (int i = 0; i < layers; i++)
        strbuf_addf(&body, "{'op': 'matmul', 'in': ['z%d', 'w'], 'out': 'z%d'},", i, i + 1);
    strbuf_addf(&body, "{'op': 'mul', 'in': ['z%d', 2], 'out': 'y'}]", layers);
    return open_text("mixed", &body);
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

/* Multiply by `w`, and store the results in half precision. */
static void multiply_in_half(double *x, const double *w)
{
    double y[ROWS * WIDTH] = {0};
    uint16_t half[ROWS * WIDTH];

    for (size_t i = 0; i < (size_t)ROWS * WIDTH; i++)
        for (size_t k = 0; k < WIDTH; k++)
            y[i] += x[i / WIDTH * WIDTH + k] * w[k * WIDTH + i % WIDTH];
    dtype_from_double(DTYPE_F16, y, half, (size_t)ROWS * WIDTH);
    dtype_to_double(DTYPE_F16, half, x, (size_t)ROWS * WIDTH);
}

/* bf16 keeps digits of numbers that are as small as the spacing of f16. */
static void tiny_numbers_may_be_stored_in_half_precision(void **state)
{
    struct rounding_task task = open_tiny(14);
    double *x = rounding_task_given(&task, "z0"), *w = rounding_task_given(&task, "w");
    uint16_t half[ROWS * WIDTH];

    (void)state;
    dtype_from_double(DTYPE_F16, x, half, (size_t)ROWS * WIDTH);
    dtype_to_double(DTYPE_F16, half, x, (size_t)ROWS * WIDTH);
    for (int i = 0; i < 14; i++)
        multiply_in_half(x, w);
    for (size_t i = 0; i < (size_t)ROWS * WIDTH; i++)
        x[i] *= 2;
    assert_true(rounding_task_error(&task, x) < 1);
    rounding_task_close(&task);
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

/* No element's tolerance comes near the size of the elements, which are squares of mean 4. */
static void tolerances_stay_small_through_narrow_norms(void **state)
{
    struct rounding_task task = open_norms(MOST_LAYERS, false);
    size_t y = graph_find(&task.graph, "y");
    float *allowed = rounding_allowed(&task.graph.values.items[y], task.expected.items[y],
                                      task.expected.variances[y]);

    (void)state;
    for (size_t i = 0; i < (size_t)64 * 8; i++)
        assert_true(allowed[i] < 0.1F);
    free(allowed);
    rounding_task_close(&task);
}

/* Errors of steps are rare and large, so that one evaluation does not show them. */
static void steps_keep_their_variances(void **state)
{
    struct rounding_task smooth = open_norms(MOST_LAYERS, false);
    struct rounding_task steps = open_norms(MOST_LAYERS, true);

    (void)state;
    assert_true(second_evaluation_of(&smooth.graph, &smooth.rounding).errs);
    assert_false(second_evaluation_of(&steps.graph, &steps.rounding).errs);
    rounding_task_close(&smooth);
    rounding_task_close(&steps);
}

static void equal_elements_err_alike(void **state)
{
    const double variance[] = {4, 4, 4, 4, 4, 4, 4, 4, 0, (double)INFINITY};
    double x[] = {1, 1, 2, 3, 4, 5, 6, 7, 8, 9}, risen = 0;

    (void)state;
    own_error_add(variance, sizeof(x) / sizeof(*x), 0, x);
    assert_float_equal(x[0], x[1], 0);
    for (size_t i = 1; i < 8; i++) {
        assert_float_equal(fabs(x[i] - (double)i), 2, 0);
        risen += x[i] > (double)i;
    }
    assert_true(risen > 0 && risen < 7);
    assert_float_equal(x[8], 8, 0);
    assert_float_equal(x[9], 9, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(honest_kernels_pass_at_each_depth),
        cmocka_unit_test(a_row_that_is_left_out_is_found_at_each_depth),
        cmocka_unit_test(tiny_numbers_may_be_stored_in_half_precision),
        cmocka_unit_test(few_layers_are_not_deep),
        cmocka_unit_test(tolerances_stay_small_through_narrow_norms),
        cmocka_unit_test(steps_keep_their_variances),
        cmocka_unit_test(equal_elements_err_alike),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
