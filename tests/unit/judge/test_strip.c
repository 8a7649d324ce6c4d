#include "tests/unit/rounding_fixture.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/judge/oracle/elementwise/strip.h"
#include "core/judge/oracle/oracle_family.h"
#include "core/judge/oracle/walk.h"

/* Elementwise operations, which the oracle computes by strips and by vector functions. */

enum { COUNT = 2 * STRIP_ELEMENTS + 37 };

/* y = op(x, second) for COUNT elements of x; `more` are further operands and attributes. */
static struct rounding_task open_op(const char *op, const char *more)
{
    char body[512];

    snprintf(body, sizeof(body),
             "\"tensors\": {\"x\": {\"role\": \"input\", \"dtype\": \"f64\", \"shape\": [%d],"
             " \"fill\": {\"normal\": [0, 1]}},"
             " \"y\": {\"role\": \"output\", \"dtype\": \"f64\", \"shape\": [%d]}},"
             " \"graph\": [{\"op\": \"%s\", \"in\": [\"x\"%s, \"out\": \"y\"}]",
             COUNT, COUNT, op, more);
    return rounding_task_open("f32", body);
}

/* Evaluate again with x in all places, and return the result, which is the same in all. */
static double result_of(const struct rounding_task *t, double x)
{
    struct oracle_values values = oracle_values_make(&t->graph);
    struct error err;
    double *given = rounding_task_given(t, "x"), y;
    size_t in = t->graph.nodes.items[0].in[0], out = t->graph.nodes.items[0].out;

    for (size_t i = 0; i < COUNT; i++)
        given[i] = x;
    values.items[in] = block_pool_take(NULL, COUNT, sizeof(double));
    memcpy(values.items[in], given, COUNT * sizeof(double));
    assert_int_equal(oracle_evaluate(&t->graph, &values, &err), STATUS_OK);
    y = values.items[out][0];
    for (size_t i = 0; i < COUNT; i++)
        assert_memory_equal(&values.items[out][i], &y, sizeof(y));
    oracle_values_release(&values);
    return y;
}

static void assert_near(const char *op, double x, double got, double want)
{
    if (!(fabs(got - want) <= 1e-14 * fabs(want)) && !(isnan(got) && isnan(want)) && got != want)
        fail_msg("%s(%g) = %.17g, expected %.17g", op, x, got, want);
}

static const struct {
    const char *op;
    double (*function)(double);
} functions[] = {{"exp", exp}, {"log", log},   {"tanh", tanh}, {"sin", sin}, {"cos", cos},
                 {"erf", erf}, {"sqrt", sqrt}, {"atan", atan}, {"abs", fabs}};

static void equal_elements_have_equal_results(void **state)
{
    static const double some[] = {0, 1, -1, 0.3, -2.75, 40, 1e-9, 1e5, 700, -745};

    (void)state;
    for (size_t f = 0; f < sizeof(functions) / sizeof(*functions); f++) {
        struct rounding_task t = open_op(functions[f].op, "]");

        for (size_t i = 0; i < sizeof(some) / sizeof(*some); i++)
            assert_near(functions[f].op, some[i], result_of(&t, some[i]),
                        functions[f].function(some[i]));
        assert_near(functions[f].op, (double)NAN, result_of(&t, (double)NAN), (double)NAN);
        assert_near(functions[f].op, (double)INFINITY, result_of(&t, (double)INFINITY),
                    functions[f].function((double)INFINITY));
        rounding_task_close(&t);
    }
}

/* The result of an operation of one kind for one number. */
static double once(const char *op, const char *more, double x)
{
    struct rounding_task t = open_op(op, more);
    double y = result_of(&t, x);

    rounding_task_close(&t);
    return y;
}

static void numbers_that_have_exact_results_get_them(void **state)
{
    (void)state;
    assert_true(once("exp", "]", 0) == 1 && once("log", "]", 1) == 0);
    assert_true(once("cos", "]", 0) == 1 && once("tanh", "]", 30) == 1);
    assert_true(once("exp", "]", (double)-INFINITY) == 0);
    assert_true(isinf(once("log", "]", 0)));
    assert_true(once("elu", "], \"alpha\": 2", 3) == 3);
    assert_true(once("softplus", "]", 25) == 25);
    for (int x = -30; x <= 30; x++) {
        assert_true(once("pow", ", 2]", x) == x * x);
        assert_true(once("pow", ", 3]", x) == x * x * x);
        assert_true(once("pow", ", 4]", x) == pow(x, 4));
    }
    assert_near("pow", 2, once("pow", ", 0.75]", 2), pow(2, 0.75));
}

/* A number rounds as it does alone, also beside numbers that overflow or are subnormal. */
static void blocks_round_as_elements_do(void **state)
{
    static const double some[] = {0,     -0.0,     1,        1.00390625, 1.01171875, -1.0039062501,
                                  3e38,  3.39e38,  3.4e38,   -1e300,     1e-38,      1e-40,
                                  1e-41, 0x1p-134, 0x1p-126, 65504.5,    1.7e38,     -7.25e-12};
    struct rounding rounding = {.is_mixed = true};
    double block[STRIP_ELEMENTS], one;

    (void)state;
    for (size_t shift = 0; shift < 2; shift++) {
        for (size_t i = 0; i < STRIP_ELEMENTS; i++)
            block[i] = shift ? 1 + (double)i / 1000 : some[i % 18];
        rounding_apply(&rounding, DTYPE_F32, block, STRIP_ELEMENTS);
        for (size_t i = 0; i < STRIP_ELEMENTS; i++) {
            one = shift ? 1 + (double)i / 1000 : some[i % 18];
            rounding_apply(&rounding, DTYPE_F32, &one, 1);
            assert_memory_equal(&block[i], &one, sizeof(one));
        }
    }
}

/* [3, 1, 50] and [4, 1] are broadcast to [3, 4, 50]; a strip begins and ends in the midst of rows.
 */
static void strips_follow_operands_that_are_broadcast(void **state)
{
    struct value out = {.shape = {3, {3, 4, 50}}}, a = {.shape = {3, {3, 1, 50}}},
                 b = {.shape = {2, {4, 1}}};
    struct op_call call = {.in = {&a, &b}, .in_count = 2, .out = &out};
    struct strip_source source = strip_source_of(&call);
    double x[150], y[4];
    const double *in[] = {x, y};
    struct strip strip;

    (void)state;
    for (size_t i = 0; i < 150; i++)
        x[i] = (double)i;
    for (size_t i = 0; i < 4; i++)
        y[i] = (double)i;
    for (size_t first = 0; first < 600; first += 77) {
        size_t n = 600 - first < STRIP_ELEMENTS ? 600 - first : STRIP_ELEMENTS;

        strip_take(&source, in, first, n, &strip);
        for (size_t i = 0; i < STRIP_ELEMENTS; i++) {
            size_t at = i < n ? first + i : first;

            assert_true(strip.x[0][i] == x[at / 200 * 50 + at % 50]);
            assert_true(strip.x[1][i] == y[at / 50 % 4]);
            assert_true(strip.x[2][i] == 0);
        }
    }
}

/* Not NaN, for which no honest result would be near enough. */
static void an_exact_zero_times_anything_is_exact(void **state)
{
    double zeros[STRIP_ELEMENTS] = {0}, ones[STRIP_ELEMENTS], unknown[STRIP_ELEMENTS];
    const double *x[] = {ones, zeros}, *variance[] = {unknown, zeros};
    double out[STRIP_ELEMENTS];

    (void)state;
    for (size_t i = 0; i < STRIP_ELEMENTS; i++) {
        ones[i] = 1;
        unknown[i] = (double)INFINITY;
    }
    oracle_rule_of("mul")->strip_variance(x, variance, NULL, out);
    assert_true(out[0] == 0);
    x[1] = ones;
    oracle_rule_of("mul")->strip_variance(x, variance, NULL, out);
    assert_true(isinf(out[0]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_elements_have_equal_results),
        cmocka_unit_test(numbers_that_have_exact_results_get_them),
        cmocka_unit_test(blocks_round_as_elements_do),
        cmocka_unit_test(strips_follow_operands_that_are_broadcast),
        cmocka_unit_test(an_exact_zero_times_anything_is_exact),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
