#include "tests/unit/unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/rounding_fixture.h"

/* Derived tolerances: honest computations of a class pass, and wrong ones do not. */

static double round_to(enum dtype dtype, double x)
{
    uint64_t bits = 0;

    dtype_from_double(dtype, &x, &bits, 1);
    dtype_to_double(dtype, &bits, &x, 1);
    return x;
}

static const char sum_body[] =
    "\"tensors\": {\"x\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [2, 20000],"
    " \"fill\": {%s}},"
    " \"y\": {\"role\": \"output\", \"dtype\": \"f32\", \"shape\": [2]}},"
    "\"graph\": [{\"op\": \"sum\", \"in\": [\"x\"], \"dim\": [1], \"out\": \"y\"}]";

/* Sum both rows in order, rounded to a type after each addition. */
static double sum_error(const char *fill, enum dtype dtype)
{
    char body[512];
    double sums[2] = {0, 0}, error;
    struct rounding_task t;

    snprintf(body, sizeof(body), sum_body, fill);
    t = rounding_task_open("f32", body);
    for (size_t i = 0; i < 40000; i++)
        sums[i / 20000] = round_to(dtype, sums[i / 20000] + rounding_task_given(&t, "x")[i]);
    error = rounding_task_error(&t, sums);
    rounding_task_close(&t);
    return error;
}

/* Equal addends have equal errors, which do not cancel. */
static void long_float_sums_pass_and_half_sums_do_not(void **state)
{
    (void)state;
    assert_true(sum_error("\"uniform\": [0, 1]", DTYPE_F32) < 1);
    assert_true(sum_error("\"normal\": [0, 1]", DTYPE_F32) < 1);
    assert_true(sum_error("\"constant\": 0.1", DTYPE_F32) < 1);
    assert_true(sum_error("\"uniform\": [0, 1]", DTYPE_F16) > 10);
    assert_true(sum_error("\"normal\": [0, 1]", DTYPE_F16) > 10);
}

static const char linear_body[] =
    "\"tensors\": {\"x\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [16, 64],"
    " \"fill\": {\"normal\": [0, 1]}},"
    " \"w\": {\"role\": \"param\", \"dtype\": \"f32\", \"shape\": [32, 64],"
    " \"fill\": {\"normal\": [0, 0.125]}},"
    " \"b\": {\"role\": \"param\", \"dtype\": \"f32\", \"shape\": [32],"
    " \"fill\": {\"normal\": [0, 0.125]}},"
    " \"y\": {\"role\": \"output\", \"dtype\": \"f32\", \"shape\": [16, 32]}},"
    "\"graph\": [{\"op\": \"linear\", \"in\": [\"x\", \"w\", \"b\"], \"out\": \"t\"},"
    " {\"op\": \"gelu\", \"in\": [\"t\"], \"out\": \"y\"}]";

static double exact_gelu(double x)
{
    return 0.5 * x * erfc(-x * M_SQRT1_2);
}

static double tanh_gelu(double x)
{
    return 0.5 * x * (1 + tanh(0.7978845608 * (x + 0.044715 * x * x * x)));
}

/* The layer with operands and product rounded to a type, a share of the bias, and some gelu. */
static double linear_error(const char *class, enum dtype dtype, double bias, double (*gelu)(double))
{
    struct rounding_task t = rounding_task_open(class, linear_body);
    double got[16 * 32], error;

    for (size_t i = 0; i < (size_t)16 * 32; i++) {
        double sum = bias * rounding_task_given(&t, "b")[i % 32];

        for (size_t k = 0; k < 64; k++)
            sum += round_to(dtype, rounding_task_given(&t, "x")[i / 32 * 64 + k]) *
                   round_to(dtype, rounding_task_given(&t, "w")[i % 32 * 64 + k]);
        got[i] = gelu(round_to(dtype, sum));
    }
    error = rounding_task_error(&t, got);
    rounding_task_close(&t);
    return error;
}

static void a_class_bounds_the_types_of_a_layer(void **state)
{
    (void)state;
    assert_true(linear_error("f32", DTYPE_F32, 1, exact_gelu) < 0.5);
    assert_true(linear_error("f32", DTYPE_BF16, 1, exact_gelu) > 100);
    assert_true(linear_error("f32", DTYPE_F16, 1, exact_gelu) > 10);
    assert_true(linear_error("mixed", DTYPE_BF16, 1, exact_gelu) < 1);
    assert_true(linear_error("mixed", DTYPE_F16, 1, exact_gelu) < 0.5);
}

static void another_function_and_a_missing_bias_are_refused(void **state)
{
    (void)state;
    assert_true(linear_error("f32", DTYPE_F32, 1, tanh_gelu) > 5);
    assert_true(linear_error("f32", DTYPE_F32, 0, exact_gelu) > 1000);
    assert_true(linear_error("mixed", DTYPE_F32, 0, exact_gelu) > 1);
}

static void rounded_outputs_pass_in_both_classes(void **state)
{
    static const char *const classes[] = {"f32", "mixed"}, *const types[] = {"f16", "bf16"};
    char body[512];

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        snprintf(body, sizeof(body),
                 "\"tensors\": {\"x\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": "
                 "[1000], \"fill\": {\"normal\": [0, 100]}},"
                 " \"y\": {\"role\": \"output\", \"dtype\": \"%s\", \"shape\": [1000]}},"
                 "\"graph\": [{\"op\": \"cast\", \"in\": [\"x\"], \"dtype\": \"%s\", \"out\": "
                 "\"y\"}]",
                 types[i / 2], types[i / 2]);

        struct rounding_task t = rounding_task_open(classes[i % 2], body);

        assert_true(rounding_task_error(&t, rounding_task_given(&t, "x")) <= 1);
        rounding_task_close(&t);
    }
}

static const char halves_body[] =
    "\"tensors\": {\"x\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [1000],"
    " \"fill\": {\"normal\": [0, 1]}},"
    " \"y\": {\"role\": \"output\", \"dtype\": \"f16\", \"shape\": [1000]}},"
    "\"graph\": [{\"op\": \"sin\", \"in\": [\"x\"], \"out\": \"s\"},"
    " {\"op\": \"cast\", \"in\": [\"s\"], \"dtype\": \"f16\", \"out\": \"%s\"} %s]";

/* The error of results in f16, where `cut` of a spacing is taken off before they are rounded. */
static double halves_error(const char *cast_to, const char *after, double scale, double cut)
{
    char body[512];
    double got[1000], error;
    struct rounding_task t;

    snprintf(body, sizeof(body), halves_body, cast_to, after);
    t = rounding_task_open("f32", body);
    for (size_t i = 0; i < 1000; i++) {
        double y = rounding_task_expected(&t)[i] * scale;

        got[i] = y - copysign(cut * dtype_spacing(DTYPE_F16, y), y);
    }
    error = rounding_task_error(&t, got);
    rounding_task_close(&t);
    return error;
}

/* Rounded to the nearest or toward zero, but not a thousandth larger. */
static void outputs_in_16_bits_are_rounded_once(void **state)
{
    static const char *const last[] = {"y", "t"};
    static const char *const after[] = {"",
                                        ", {\"op\": \"relu\", \"in\": [\"t\"], \"out\": \"y\"}"};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        assert_true(halves_error(last[i], after[i], 1, 0) <= 1);
        assert_true(halves_error(last[i], after[i], 1, 0.49) <= 1);
        assert_true(halves_error(last[i], after[i], 1.001, 0) > 1);
    }
}

/* A row of small numbers beside rows of large ones has its own tolerance. */
static void small_rows_have_small_tolerances(void **state)
{
    struct rounding_task t = rounding_task_open(
        "mixed", "\"tensors\": {\"x\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [4, 8],"
                 " \"fill\": {\"uniform\": [1, 2]}},"
                 " \"s\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [4, 1],"
                 " \"fill\": {\"normal\": [0, 10]}},"
                 " \"y\": {\"role\": \"output\", \"dtype\": \"f32\", \"shape\": [4, 8]}},"
                 "\"graph\": [{\"op\": \"exp\", \"in\": [\"s\"], \"out\": \"e\"},"
                 " {\"op\": \"mul\", \"in\": [\"x\", \"e\"], \"out\": \"y\"}]");
    double got[32];
    size_t least = 0;

    (void)state;
    memcpy(got, rounding_task_expected(&t), sizeof(got));
    assert_true(rounding_task_error(&t, got) < 0.1);
    for (size_t i = 0; i < 32; i++)
        least = fabs(got[i]) < fabs(got[least]) ? i : least;
    got[least] = 0;
    assert_true(rounding_task_error(&t, got) > 1);
    rounding_task_close(&t);
}

static const char place_body[] =
    "\"tensors\": {\"x\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [100, 8],"
    " \"fill\": {\"integers\": [1, 3]}},"
    " \"y\": {\"role\": \"output\", \"dtype\": \"i64\", \"shape\": [100]}},"
    "\"graph\": [%s {\"op\": \"argmax\", \"in\": [\"%s\"], \"dim\": [1], \"out\": \"y\"}]";

/* The last of the largest elements in place of the first. */
static double last_place_error(const char *before, const char *operand)
{
    char body[512];
    double got[100], error;
    struct rounding_task t;

    snprintf(body, sizeof(body), place_body, before, operand);
    t = rounding_task_open("f32", body);
    for (size_t row = 0; row < 100; row++) {
        const double *x = rounding_task_given(&t, "x") + 8 * row;

        got[row] = 0;
        for (size_t i = 1; i < 8; i++)
            got[row] = x[i] >= x[(size_t)got[row]] ? (double)i : got[row];
    }
    error = rounding_task_error(&t, got);
    rounding_task_close(&t);
    return error;
}

static void indices_are_exact_unless_rounding_may_exchange_elements(void **state)
{
    (void)state;
    assert_true(last_place_error("", "x") > 1);
    assert_true(last_place_error("{\"op\": \"exp\", \"in\": [\"x\"], \"out\": \"e\"},", "e") <= 1);
}

/* A float loop over 4096 equal products has an error of hundreds of units. */
static void equal_products_pass(void **state)
{
    struct rounding_task t = rounding_task_open(
        "f32",
        "\"tensors\": {\"x\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [1, 4096],"
        " \"fill\": {\"constant\": 0.1}},"
        " \"w\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [1, 4096],"
        " \"fill\": {\"constant\": 0.7}},"
        " \"y\": {\"role\": \"output\", \"dtype\": \"f32\", \"shape\": [1, 1]}},"
        "\"graph\": [{\"op\": \"linear\", \"in\": [\"x\", \"w\"], \"out\": \"y\"}]");
    float sum = 0;
    double got;

    (void)state;
    for (size_t i = 0; i < 4096; i++)
        sum += (float)rounding_task_given(&t, "x")[i] * (float)rounding_task_given(&t, "w")[i];
    got = (double)sum;
    assert_true(rounding_task_error(&t, &got) < 1);
    got = rounding_task_expected(&t)[0] * 1.001;
    assert_true(rounding_task_error(&t, &got) > 1);
    rounding_task_close(&t);
}

/*
 * Equal exponentials drift as well, by their size beside the largest one, which is 1. The shares in
 * the sum are other numbers, and hardly drift here.
 */
static void equal_exponentials_pass(void **state)
{
    struct rounding_task t = rounding_task_open(
        "f32", "\"tensors\": {\"x\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [4999],"
               " \"fill\": {\"constant\": -0.5}},"
               " \"z\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [1],"
               " \"fill\": {\"constant\": 0}},"
               " \"y\": {\"role\": \"output\", \"dtype\": \"f32\", \"shape\": []}},"
               "\"graph\": [{\"op\": \"concat\", \"in\": [\"x\", \"z\"], \"out\": \"xz\"},"
               "{\"op\": \"logsumexp\", \"in\": [\"xz\"], \"out\": \"y\"}]");
    float sum = 0;
    double got;

    (void)state;
    for (size_t i = 0; i < 4999; i++)
        sum += expf(-0.5F);
    got = (double)logf(sum + 1);
    assert_true(rounding_task_error(&t, &got) < 1);
    got = rounding_task_expected(&t)[0] * 1.00002;
    assert_true(rounding_task_error(&t, &got) > 1);
    rounding_task_close(&t);
}

/* All elements of a row share the error of the mean that is subtracted from them. */
static void sums_of_elements_around_a_rounded_mean_pass(void **state)
{
    struct rounding_task t = rounding_task_open(
        "f32", "\"tensors\": {\"x\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [400],"
               " \"fill\": {\"uniform\": [999, 1001]}},"
               " \"y\": {\"role\": \"output\", \"dtype\": \"f32\", \"shape\": []}},"
               "\"graph\": [{\"op\": \"mean\", \"in\": [\"x\"], \"out\": \"m\"},"
               "{\"op\": \"sub\", \"in\": [\"x\", \"m\"], \"out\": \"d\"},"
               "{\"op\": \"logsumexp\", \"in\": [\"d\"], \"out\": \"y\"}]");
    const double *x = rounding_task_given(&t, "x");
    double mean = 0, sum = 0, got;

    (void)state;
    for (size_t i = 0; i < 400; i++)
        mean = round_to(DTYPE_F32, mean + x[i]);
    mean = round_to(DTYPE_F32, mean / 400);
    for (size_t i = 0; i < 400; i++)
        sum += exp(round_to(DTYPE_F32, x[i] - mean));
    got = log(sum);
    assert_true(rounding_task_error(&t, &got) < 1);
    got = rounding_task_expected(&t)[0] + 0.01;
    assert_true(rounding_task_error(&t, &got) > 1);
    rounding_task_close(&t);
}

static void long_averages_pass(void **state)
{
    struct rounding_task t = rounding_task_open(
        "f32",
        "\"tensors\": {\"x\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [1, 4, 16384],"
        " \"fill\": {\"uniform\": [0, 1]}},"
        " \"y\": {\"role\": \"output\", \"dtype\": \"f32\", \"shape\": [1, 4, 16]}},"
        "\"graph\": [{\"op\": \"avg_pool1d\", \"in\": [\"x\"], \"out\": \"y\","
        " \"kernel_size\": [1024]}]");
    double got[64], sum = 0;

    (void)state;
    for (size_t i = 0; i < (size_t)64 * 1024; i++) {
        sum = round_to(DTYPE_F32, rounding_task_given(&t, "x")[i] + (i % 1024 ? sum : 0));
        got[i / 1024] = sum / 1024;
    }
    assert_in_range((uintmax_t)(100 * rounding_task_error(&t, got)), 5, 99);
    rounding_task_close(&t);
}

/* Means of elements that share the error of a sum over all of them, here ten times a usual one. */
static void averages_of_centred_elements_pass(void **state)
{
    enum { COUNT = 16384, KERNEL = 1024 };
    struct rounding_task t = rounding_task_open(
        "f32",
        "\"tensors\": {\"x\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [1, 1, 16384],"
        " \"fill\": {\"uniform\": [0, 1]}},"
        " \"y\": {\"role\": \"output\", \"dtype\": \"f32\", \"shape\": [1, 1, 16]}},"
        "\"graph\": [{\"op\": \"mean\", \"in\": [\"x\"], \"out\": \"m\", \"dim\": [2], "
        "\"keepdim\": true},"
        "{\"op\": \"sub\", \"in\": [\"x\", \"m\"], \"out\": \"d\"},"
        "{\"op\": \"avg_pool1d\", \"in\": [\"d\"], \"out\": \"y\", \"kernel_size\": [1024]}]");
    const double *x = rounding_task_given(&t, "x");
    double got[COUNT / KERNEL] = {0}, sum = 0, exact = 0;

    (void)state;
    for (size_t i = 0; i < COUNT; i++) {
        sum = round_to(DTYPE_F32, sum + x[i]);
        exact += x[i];
    }
    sum += 9 * (sum - exact);
    for (size_t i = 0; i < COUNT; i++)
        got[i / KERNEL] += (x[i] - sum / COUNT) / KERNEL;
    assert_in_range((uintmax_t)(100 * rounding_task_error(&t, got)), 5, 99);
    rounding_task_close(&t);
}

enum { KEYS = 512, WIDTH = 128 };

/* One row in one pass over the keys, which are the values too, with a division at the end. */
static void attend_in_order(const double *query, const double *keys, double *got)
{
    float total = 0, sums[WIDTH] = {0};

    for (size_t j = 0; j < KEYS; j++, keys += WIDTH) {
        float score = 0;

        for (size_t k = 0; k < WIDTH; k++)
            score += (float)query[k] * (float)keys[k];
        score = expf(score / sqrtf(WIDTH) - 3);
        total += score;
        for (size_t k = 0; k < WIDTH; k++)
            sums[k] += score * (float)keys[k];
    }
    for (size_t k = 0; k < WIDTH; k++)
        got[k] = (double)(sums[k] / total);
}

static void attention_to_values_of_one_sign_passes(void **state)
{
    struct rounding_task t = rounding_task_open(
        "f32",
        "\"tensors\": {\"q\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [1, 8, 128],"
        " \"fill\": {\"uniform\": [0, 1]}},"
        " \"k\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [1, 512, 128],"
        " \"fill\": {\"uniform\": [0, 1]}},"
        " \"y\": {\"role\": \"output\", \"dtype\": \"f32\", \"shape\": [1, 8, 128]}},"
        "\"graph\": [{\"op\": \"scaled_dot_product_attention\", \"in\": [\"q\", \"k\", \"k\"],"
        " \"out\": \"y\"}]");
    double got[8 * WIDTH];

    (void)state;
    for (size_t i = 0; i < 8; i++)
        attend_in_order(rounding_task_given(&t, "q") + i * WIDTH, rounding_task_given(&t, "k"),
                        got + i * WIDTH);
    assert_true(rounding_task_error(&t, got) < 1);
    got[3] *= 1.00001;
    assert_true(rounding_task_error(&t, got) > 1);
    rounding_task_close(&t);
}

/* E[x^2] - E[x]^2 in float cancels, which a large mean makes worse. */
static void one_pass_variances_pass(void **state)
{
    struct rounding_task t = rounding_task_open(
        "f32", "\"tensors\": {\"x\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [1000],"
               " \"fill\": {\"normal\": [30, 1]}},"
               " \"y\": {\"role\": \"output\", \"dtype\": \"f32\", \"shape\": [1000]}},"
               "\"graph\": [{\"op\": \"layer_norm\", \"in\": [\"x\"], \"out\": \"y\"}]");
    float sum = 0, squares = 0;
    double got[1000];

    (void)state;
    for (size_t i = 0; i < 1000; i++) {
        float x = (float)rounding_task_given(&t, "x")[i];

        sum += x;
        squares += x * x;
    }
    for (size_t i = 0; i < 1000; i++) {
        float mean = sum / 1000, var = squares / 1000 - mean * mean;

        got[i] = (double)(((float)rounding_task_given(&t, "x")[i] - mean) / sqrtf(var + 1e-5F));
    }
    assert_true(rounding_task_error(&t, got) < 1);
    for (size_t i = 0; i < 1000; i++)
        got[i] = rounding_task_expected(&t)[i] * 1.01;
    assert_true(rounding_task_error(&t, got) > 1);
    rounding_task_close(&t);
}

/* The error of a weight is the same in all rows, so it does not average out. */
static void shared_errors_widen_the_tolerance(void **state)
{
    struct rounding_task t = rounding_task_open(
        "mixed", "\"tensors\": {\"x\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": "
                 "[4096, 4], \"fill\": {\"uniform\": [1, 1.5]}},"
                 " \"w\": {\"role\": \"param\", \"dtype\": \"f32\", \"shape\": [16, 4],"
                 " \"fill\": {\"normal\": [0, 1]}},"
                 " \"m\": {\"role\": \"param\", \"dtype\": \"f32\", \"shape\": [16],"
                 " \"fill\": {\"constant\": 0}},"
                 " \"y\": {\"role\": \"output\", \"dtype\": \"f32\", \"shape\": [16]}},"
                 "\"graph\": [{\"op\": \"linear\", \"in\": [\"x\", \"w\"], \"out\": \"t\"},"
                 " {\"op\": \"sum\", \"in\": [\"t\"], \"dim\": [0], \"out\": \"s\"},"
                 " {\"op\": \"sub\", \"in\": [\"s\", \"m\"], \"out\": \"y\"}]");
    double got[16] = {0};

    (void)state;
    for (size_t i = 0; i < (size_t)4096 * 16; i++)
        for (size_t k = 0; k < 4; k++)
            got[i % 16] += rounding_task_given(&t, "x")[i / 16 * 4 + k] *
                           round_to(DTYPE_BF16, rounding_task_given(&t, "w")[i % 16 * 4 + k]);
    assert_true(rounding_task_error(&t, got) < 1);
    rounding_task_close(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(long_float_sums_pass_and_half_sums_do_not),
        cmocka_unit_test(a_class_bounds_the_types_of_a_layer),
        cmocka_unit_test(another_function_and_a_missing_bias_are_refused),
        cmocka_unit_test(rounded_outputs_pass_in_both_classes),
        cmocka_unit_test(outputs_in_16_bits_are_rounded_once),
        cmocka_unit_test(small_rows_have_small_tolerances),
        cmocka_unit_test(indices_are_exact_unless_rounding_may_exchange_elements),
        cmocka_unit_test(equal_products_pass),
        cmocka_unit_test(equal_exponentials_pass),
        cmocka_unit_test(sums_of_elements_around_a_rounded_mean_pass),
        cmocka_unit_test(long_averages_pass),
        cmocka_unit_test(averages_of_centred_elements_pass),
        cmocka_unit_test(attention_to_values_of_one_sign_passes),
        cmocka_unit_test(one_pass_variances_pass),
        cmocka_unit_test(shared_errors_widen_the_tolerance),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
