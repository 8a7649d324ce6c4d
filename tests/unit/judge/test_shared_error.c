#include "tests/unit/unit.h"

#include <math.h>

#include "core/base/array.h"
#include "core/judge/oracle/rounding/second_evaluation.h"
#include "tests/unit/rounding_fixture.h"

/*
 * Products with weights of one sign after a step that gives all elements of a line one error: a
 * kernel in float32 passes in whatever order it adds up, and one that leaves elements out does not.
 */

enum { K = 1000, N = 8, SAMPLES = 3, TAPS = 40, PLACES = K - TAPS + 1 };

enum order { IN_ORDER, IN_PARTS, AS_TREE };

/* The sum of n elements in float32: of `parts` sums that each have every parts-th element. */
static float add_up(const float *x, size_t n, enum order order)
{
    static const size_t parts_of[] = {[IN_ORDER] = 1, [IN_PARTS] = 256, [AS_TREE] = 512};
    float sums[512] = {0};
    size_t parts = parts_of[order];

    for (size_t i = 0; i < n; i++)
        sums[i % parts] += x[i];
    for (size_t half = parts / 2; order == AS_TREE && half > 0; half /= 2)
        for (size_t i = 0; i < half; i++)
            sums[i] += sums[half + i];
    for (size_t i = 1; order != AS_TREE && i < parts; i++)
        sums[0] += sums[i];
    return sums[0];
}

/* What a kernel does: the order of its sums, and how many elements of a line its statistic has. */
struct kernel {
    enum order order;
    size_t counted;
};

/* A line of a step in float32. */
typedef void step_fn(const struct kernel *kernel, const float *x, float *y);

static void centre(const struct kernel *kernel, const float *x, float *y)
{
    float mean = add_up(x, kernel->counted, kernel->order) / (float)kernel->counted;

    for (size_t i = 0; i < K; i++)
        y[i] = x[i] - mean;
}

static void normalize(const struct kernel *kernel, const float *x, float *y)
{
    float squares[K], scale;

    centre(kernel, x, y);
    for (size_t i = 0; i < K; i++)
        squares[i] = y[i] * y[i];
    scale =
        1 / sqrtf(add_up(squares, kernel->counted, kernel->order) / (float)kernel->counted + 1e-5F);
    for (size_t i = 0; i < K; i++)
        y[i] *= scale;
}

static void subtract_logsumexp(const struct kernel *kernel, const float *x, float *y)
{
    float shares[K], most = x[0], log_sum;

    for (size_t i = 0; i < K; i++)
        most = fmaxf(most, x[i]);
    for (size_t i = 0; i < K; i++)
        shares[i] = expf(x[i] - most);
    log_sum = most + logf(add_up(shares, kernel->counted, kernel->order));
    for (size_t i = 0; i < K; i++)
        y[i] = x[i] - log_sum;
}

static void run_up(const struct kernel *kernel, const float *x, float *y)
{
    float sum = 0;

    for (size_t i = 0; i < K; i++)
        y[i] = sum += i < kernel->counted ? x[i] : 0;
}

struct pattern {
    step_fn *step;
    const char *x;          /* how x is drawn */
    const char *step_nodes; /* from x to d */
};

#define MEAN                                                                                  \
    "{\"op\": \"mean\", \"in\": [\"x\"], \"dim\": [-1], \"keepdim\": true, \"out\": \"m\"}, " \
    "{\"op\": \"sub\", \"in\": [\"x\", \"m\"], \"out\": "

static const struct pattern patterns[] = {
    {centre, "\"uniform\": [999, 1001]", MEAN "\"d\"}"},
    {normalize, "\"normal\": [20, 2]", "{\"op\": \"layer_norm\", \"in\": [\"x\"], \"out\": \"d\"}"},
    {normalize, "\"uniform\": [-77, -75]",
     MEAN "\"c\"}, {\"op\": \"var\", \"in\": [\"x\"], \"dim\": [-1], \"keepdim\": true, "
          "\"correction\": 0, \"out\": \"v\"}, {\"op\": \"add\", \"in\": [\"v\", 1e-5], \"out\": "
          "\"e\"}, {\"op\": \"rsqrt\", \"in\": [\"e\"], \"out\": \"s\"}, "
          "{\"op\": \"mul\", \"in\": [\"c\", \"s\"], \"out\": \"d\"}"},
    {subtract_logsumexp, "\"normal\": [200, 1]",
     "{\"op\": \"logsumexp\", \"in\": [\"x\"], \"dim\": [-1], \"keepdim\": true, \"out\": \"m\"}, "
     "{\"op\": \"sub\", \"in\": [\"x\", \"m\"], \"out\": \"d\"}"},
    {subtract_logsumexp, "\"normal\": [-50, 1]",
     "{\"op\": \"log_softmax\", \"in\": [\"x\"], \"dim\": -1, \"out\": \"d\"}"},
    {run_up, "\"uniform\": [0, 1]",
     "{\"op\": \"cumsum\", \"in\": [\"x\"], \"dim\": -1, \"out\": \"d\"}"},
};

/* What follows the step: d on the left or on the right of a product, or in a convolution. */
enum use { LEFT, RIGHT, CONVOLVED, USES };

struct use_text {
    const char *weights, *shape, *nodes; /* w, the shape of y, and the nodes from d to y */
};

static const struct use_text uses[USES] = {
    [LEFT] = {"1000, 8", "3, 1, 8", "{\"op\": \"matmul\", \"in\": [\"d\", \"w\"], \"out\": \"y\"}"},
    [RIGHT] = {"8, 1000", "3, 8, 1",
               "{\"op\": \"transpose\", \"in\": [\"d\"], \"dim0\": 1, \"dim1\": 2, \"out\": "
               "\"t\"}, {\"op\": \"matmul\", \"in\": [\"w\", \"t\"], \"out\": \"y\"}"},
    [CONVOLVED] = {"8, 1, 40", "3, 8, 961",
                   "{\"op\": \"conv1d\", \"in\": [\"d\", \"w\"], \"out\": \"y\"}"},
};

static struct rounding_task open_pattern(const struct pattern *pattern, enum use use)
{
    struct strbuf body = {0};
    struct rounding_task t;

    strbuf_addf(&body,
                "\"tensors\": {\"x\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": "
                "[3, 1, 1000], \"fill\": {%s}}, \"w\": {\"role\": \"param\", \"dtype\": "
                "\"f32\", \"shape\": [%s], \"fill\": {\"uniform\": [0, 1]}}, \"y\": {\"role\": "
                "\"output\", \"dtype\": \"f32\", \"shape\": [%s]}}, \"graph\": [%s, %s]",
                pattern->x, uses[use].weights, uses[use].shape, pattern->step_nodes,
                uses[use].nodes);
    t = rounding_task_open("f32", strbuf_cstr(&body));
    strbuf_release(&body);
    return t;
}

/* Results of a line d for output channel n; returns their number. */
static size_t weigh(const float *d, const double *w, enum use use, size_t n, double *y)
{
    size_t count = use == CONVOLVED ? PLACES : 1, taps = use == CONVOLVED ? TAPS : K;

    for (size_t place = 0; place < count; place++) {
        float sum = 0;

        for (size_t k = 0; k < taps; k++)
            sum += d[place + k] * (float)w[use == LEFT ? k * N + n : n * taps + k];
        y[place] = (double)sum;
    }
    return count;
}

/* The largest error of the kernel, as a multiple of the tolerance, for data drawn from `seed`. */
static double error_of(const struct pattern *pattern, enum use use, struct kernel kernel,
                       uint64_t seed)
{
    static double got[SAMPLES * N * PLACES];
    struct rounding_task t = open_pattern(pattern, use);
    size_t at = 0;
    double error;

    rounding_task_draw(&t, seed, false);
    for (size_t s = 0; s < SAMPLES; s++) {
        float x[K], d[K];

        for (size_t k = 0; k < K; k++)
            x[k] = (float)rounding_task_given(&t, "x")[s * K + k];
        pattern->step(&kernel, x, d);
        for (size_t n = 0; n < N; n++)
            at += weigh(d, rounding_task_given(&t, "w"), use, n, got + at);
    }
    error = rounding_task_error(&t, got);
    rounding_task_close(&t);
    return error;
}

static void kernels_in_any_order_pass(void **state)
{
    (void)state;
    for (size_t p = 0; p < COUNT(patterns); p++)
        for (int use = 0; use < USES; use++)
            for (int order = 0; order <= AS_TREE; order++) {
                struct kernel kernel = {(enum order)order, K};
                double error = error_of(&patterns[p], (enum use)use, kernel, 11 + (uint64_t)order);

                if (!(error < 0.5))
                    fail_msg("pattern %zu, use %d, order %d: %g", p, use, order, error);
            }
}

static void kernels_that_leave_half_out_are_refused(void **state)
{
    (void)state;
    for (size_t p = 0; p < COUNT(patterns); p++)
        for (int use = 0; use < USES; use++) {
            double error =
                error_of(&patterns[p], (enum use)use, (struct kernel){AS_TREE, K / 2}, 9);

            if (!(error > 2))
                fail_msg("pattern %zu, use %d: %g", p, use, error);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_in_any_order_pass),
        cmocka_unit_test(kernels_that_leave_half_out_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
