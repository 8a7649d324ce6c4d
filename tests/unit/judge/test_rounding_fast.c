#include "tests/unit/unit.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/judge/oracle/variation.h"
#include "tests/unit/rounding_fixture.h"

/*
 * Products of matrices by fast algorithms, which mix each element with other rows and columns: they
 * pass with the tolerance of class f32, on drawn data and on outliers.
 */

enum { SIDE = 128, COUNT = SIDE * SIDE, SEEDS = 2 };

/* A square of `side` elements in a matrix with rows of `stride`. */
struct square {
    float *at;
    size_t side, stride;
};

static struct square new_square(size_t side)
{
    return (struct square){mem_alloc_zeroed(side * side, sizeof(float)), side, side};
}

static struct square quarter(struct square s, size_t row, size_t column)
{
    size_t half = s.side / 2;

    return (struct square){s.at + row * half * s.stride + column * half, half, s.stride};
}

/* to = a + sign * b */
static void add(struct square to, struct square a, float sign, struct square b)
{
    for (size_t i = 0; i < to.side; i++)
        for (size_t j = 0; j < to.side; j++)
            to.at[i * to.stride + j] = a.at[i * a.stride + j] + sign * b.at[i * b.stride + j];
}

/* y = a b, each sum in order */
static void multiply(struct square a, struct square b, struct square y)
{
    for (size_t i = 0; i < y.side; i++)
        for (size_t j = 0; j < y.side; j++) {
            float sum = 0;

            for (size_t k = 0; k < y.side; k++)
                sum += a.at[i * a.stride + k] * b.at[k * b.stride + j];
            y.at[i * y.stride + j] = sum;
        }
}

typedef void product_fn(struct square a, struct square b, unsigned levels, struct square y);

/* A product of sums of quarters: (a0 + sign_a a1) (b0 + sign_b b1); a sign of 0 leaves one out. */
struct factor {
    struct square x, more;
    float sign;
};

static struct square product_of_sums(product_fn *product, unsigned levels, struct factor a,
                                     struct factor b)
{
    struct square left = new_square(a.x.side), right = new_square(a.x.side);
    struct square y = new_square(a.x.side);

    add(left, a.x, a.sign, a.more);
    add(right, b.x, b.sign, b.more);
    product(left, right, levels - 1, y);
    free(left.at);
    free(right.at);
    return y;
}

#define ONE(x)          ((struct factor){x, x, 0})
#define SUM(x, sign, y) ((struct factor){x, y, sign})
#define TIMES(a, b)     product_of_sums(product, levels, a, b)

/* Add to a quarter of y the sum of the products with a sign. */
static void join(struct square y, const struct square products[7], const float signs[7])
{
    for (size_t p = 0; p < 7; p++)
        if (signs[p] != 0)
            add(y, y, signs[p], products[p]);
}

/* Strassen's seven products. */
static void strassen(struct square a, struct square b, unsigned levels, struct square y)
{
    static const float signs[4][7] = {{1, 0, 0, 1, -1, 0, 1},
                                      {0, 0, 1, 0, 1, 0, 0},
                                      {0, 1, 0, 1, 0, 0, 0},
                                      {1, -1, 1, 0, 0, 1, 0}};
    product_fn *product = strassen;

    if (levels == 0) {
        multiply(a, b, y);
        return;
    }

    struct square a11 = quarter(a, 0, 0), a12 = quarter(a, 0, 1), a21 = quarter(a, 1, 0);
    struct square b11 = quarter(b, 0, 0), b12 = quarter(b, 0, 1), b21 = quarter(b, 1, 0);
    struct square a22 = quarter(a, 1, 1), b22 = quarter(b, 1, 1);
    struct square p[7] = {
        TIMES(SUM(a11, 1, a22), SUM(b11, 1, b22)),  TIMES(SUM(a21, 1, a22), ONE(b11)),
        TIMES(ONE(a11), SUM(b12, -1, b22)),         TIMES(ONE(a22), SUM(b21, -1, b11)),
        TIMES(SUM(a11, 1, a12), ONE(b22)),          TIMES(SUM(a21, -1, a11), SUM(b11, 1, b12)),
        TIMES(SUM(a12, -1, a22), SUM(b21, 1, b22)),
    };

    for (size_t i = 0; i < 4; i++)
        join(quarter(y, i / 2, i % 2), p, signs[i]);
    for (size_t i = 0; i < 7; i++)
        free(p[i].at);
}

/* Winograd's form of it, whose operands are sums of up to four quarters. */
static void winograd(struct square a, struct square b, unsigned levels, struct square y)
{
    static const float signs[4][7] = {{1, 1, 0, 0, 0, 0, 0},
                                      {1, 0, 1, 0, 1, 1, 0},
                                      {1, 0, 0, -1, 0, 1, 1},
                                      {1, 0, 0, 0, 1, 1, 1}};
    product_fn *product = winograd;

    if (levels == 0) {
        multiply(a, b, y);
        return;
    }

    struct square a11 = quarter(a, 0, 0), a12 = quarter(a, 0, 1), a21 = quarter(a, 1, 0);
    struct square b11 = quarter(b, 0, 0), b12 = quarter(b, 0, 1), b21 = quarter(b, 1, 0);
    struct square a22 = quarter(a, 1, 1), b22 = quarter(b, 1, 1);
    struct square s1 = new_square(a11.side), s2 = new_square(a11.side);
    struct square t1 = new_square(a11.side), t2 = new_square(a11.side);

    add(s1, a21, 1, a22);
    add(s2, s1, -1, a11);
    add(t1, b12, -1, b11);
    add(t2, b22, -1, t1);

    struct square p[7] = {
        TIMES(ONE(a11), ONE(b11)),
        TIMES(ONE(a12), ONE(b21)),
        TIMES(SUM(a12, -1, s2), ONE(b22)),
        TIMES(ONE(a22), SUM(t2, -1, b21)),
        TIMES(ONE(s1), ONE(t1)),
        TIMES(ONE(s2), ONE(t2)),
        TIMES(SUM(a11, -1, a21), SUM(b22, -1, b12)),
    };

    for (size_t i = 0; i < 4; i++)
        join(quarter(y, i / 2, i % 2), p, signs[i]);
    for (size_t i = 0; i < 7; i++)
        free(p[i].at);
    free(s1.at);
    free(s2.at);
    free(t1.at);
    free(t2.at);
}

static const char body[] =
    "\"tensors\": {\"a\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [128, 128],"
    " \"fill\": {\"uniform\": [-1, 1]}},"
    " \"b\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [128, 128],"
    " \"fill\": {\"uniform\": [-1, 1]}},"
    " \"y\": {\"role\": \"output\", \"dtype\": \"f32\", \"shape\": [128, 128]}},"
    "\"graph\": [{\"op\": \"matmul\", \"in\": [\"a\", \"b\"], \"out\": \"y\"}]";

static struct square square_of(const double *x)
{
    struct square s = new_square(SIDE);

    for (size_t i = 0; i < COUNT; i++)
        s.at[i] = (float)x[i];
    return s;
}

/* The largest error over the tolerance of a product on the task's data. */
static double error_of(const struct rounding_task *t, product_fn *product, unsigned levels)
{
    struct square a = square_of(rounding_task_given(t, "a"));
    struct square b = square_of(rounding_task_given(t, "b")), y = new_square(SIDE);
    double *got = mem_alloc_zeroed(COUNT, sizeof(*got)), error;

    product(a, b, levels, y);
    for (size_t i = 0; i < COUNT; i++)
        got[i] = (double)y.at[i];
    error = rounding_task_error(t, got);
    free(a.at);
    free(b.at);
    free(y.at);
    free(got);
    return error;
}

static void fast_products_pass(enum variation variation)
{
    struct rounding_task t = rounding_task_open("f32", body);
    bool is_varied = variation != VARIATION_NONE;

    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        rounding_task_draw(&t, variation_seed(variation, seed), is_varied);
        for (unsigned levels = 0; levels <= 2; levels++) {
            assert_true(error_of(&t, strassen, levels) < 1);
            assert_true(error_of(&t, winograd, levels) < 1);
        }
    }
    rounding_task_close(&t);
}

static void fast_products_of_drawn_data_pass(void **state)
{
    (void)state;
    fast_products_pass(VARIATION_NONE);
}

/* The error of the product of two outliers spreads to elements that have none. */
static void fast_products_of_outliers_pass(void **state)
{
    (void)state;
    fast_products_pass(VARIATION_OUTLIERS);
}

/* Operands with 13 bits fewer, as those of a tensor core. */
static void cut_operands(struct square a, struct square b, unsigned levels, struct square y)
{
    (void)levels;
    for (size_t i = 0; i < COUNT; i++) {
        uint32_t bits;

        memcpy(&bits, &a.at[i], sizeof(bits));
        bits &= ~UINT32_C(0x1fff);
        memcpy(&a.at[i], &bits, sizeof(bits));
    }
    multiply(a, b, y);
}

static void products_of_cut_operands_are_refused(void **state)
{
    struct rounding_task t = rounding_task_open("f32", body);

    (void)state;
    assert_true(error_of(&t, cut_operands, 0) > 20);
    rounding_task_draw(&t, variation_seed(VARIATION_OUTLIERS, 1), true);
    assert_true(error_of(&t, cut_operands, 0) > 2);
    rounding_task_close(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fast_products_of_drawn_data_pass),
        cmocka_unit_test(fast_products_of_outliers_pass),
        cmocka_unit_test(products_of_cut_operands_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
