#include "tests/unit/unit.h"

#include <math.h>

#include "core/model/dtype.h"
#include "tests/unit/rounding_fixture.h"

/*
 * Linear attention: the graph multiplies q with running sums of k v, and a kernel adds up the
 * products (q k) v, whose errors do not cancel where the terms do.
 */

enum { STEPS = 24, WIDTH = 128, COLUMNS = 8, COUNT = STEPS * COLUMNS };

#define TENSOR(name, shape, fill)                                               \
    "\"" name "\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": " shape \
    ", \"fill\": " fill "}, "
#define TASK(result, last)                                                                        \
    "\"tensors\": {" TENSOR("q", "[24, 1, 128]", "{\"uniform\": [0.9, 1.1]}")                     \
        TENSOR("k", "[24, 128, 1]", "{\"uniform\": [0.9, 1.1]}") TENSOR(                          \
            "v", "[24, 1, 8]",                                                                    \
            "{\"normal\": [0, 1]}") "\"y\": {\"role\": \"output\","                               \
                                    " \"dtype\": \"f32\", \"shape\": " result "}}, \"graph\": ["  \
                                    "{\"op\": \"mul\", \"in\": [\"k\", \"v\"], \"out\": \"kv\"}," \
                                    "{\"op\": \"cumsum\", \"in\": [\"kv\"], \"out\": \"s\", "     \
                                    "\"dim\": 0}," last "]"

static const char by_product[] =
    TASK("[24, 1, 8]", "{\"op\": \"matmul\", \"in\": [\"q\", \"s\"], \"out\": \"y\"}");
static const char by_sum[] = TASK(
    "[24, 8]", "{\"op\": \"reshape\", \"in\": [\"q\"], \"out\": \"qt\", \"shape\": [24, 128, 1]},"
               "{\"op\": \"mul\", \"in\": [\"qt\", \"s\"], \"out\": \"qs\"},"
               "{\"op\": \"sum\", \"in\": [\"qs\"], \"out\": \"y\", \"dim\": 1}");

/* A number as the class may store it. */
static float stored(const struct rounding_task *t, double x)
{
    rounding_apply(&t->rounding, DTYPE_F32, &x, 1);
    return (float)x;
}

/* The result of step `t` and its column, added up from step `first` on. */
static double attend(const struct rounding_task *t, size_t step, size_t column, size_t first)
{
    const double *q = rounding_task_given(t, "q") + step * WIDTH;
    float sum = 0;

    for (size_t j = first; j <= step; j++) {
        const double *k = rounding_task_given(t, "k") + j * WIDTH;
        float score = 0;

        for (size_t i = 0; i < WIDTH; i++)
            score += stored(t, q[i]) * stored(t, k[i]);
        sum +=
            stored(t, (double)score) * stored(t, rounding_task_given(t, "v")[j * COLUMNS + column]);
    }
    return (double)sum;
}

/* The largest error of two draws. */
static double error_of(const char *class, const char *body, size_t first)
{
    struct rounding_task t = rounding_task_open(class, body);
    double got[COUNT], worst = 0;

    for (uint64_t seed = 1; seed <= 2; seed++) {
        rounding_task_draw(&t, seed, false);
        for (size_t i = 0; i < COUNT; i++)
            got[i] = attend(&t, i / COLUMNS, i % COLUMNS, first);
        worst = fmax(worst, rounding_task_error(&t, got));
    }
    rounding_task_close(&t);
    return worst;
}

static void products_may_come_before_running_sums(void **state)
{
    (void)state;
    assert_true(error_of("f32", by_product, 0) <= 1);
    assert_true(error_of("f32", by_sum, 0) <= 1);
    assert_true(error_of("mixed", by_product, 0) <= 1);
}

static void a_lost_term_is_found(void **state)
{
    (void)state;
    assert_true(error_of("f32", by_product, 1) > 1);
    assert_true(error_of("mixed", by_product, 1) > 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_may_come_before_running_sums),
        cmocka_unit_test(a_lost_term_is_found),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
