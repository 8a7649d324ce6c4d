/*
 * Holds the oracle on the device against the oracle on the CPU, operation by operation: expected
 * elements and tolerances of every problem, in both classes. Usage: test_device_oracle
 * CLASS:PROBLEM...
 */
#include "tests/unit/unit.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/mem.h"
#include "core/judge/compare/tolerance16.h"
#include "core/judge/device_oracle/device_oracle.h"
#include "core/judge/task/expected_outputs.h"
#include "core/model/problem_reader.h"
#include "tests/contract/judge_fixture.h"

static struct device_oracle *device;

/* The problem with another class. */
static void open_problem(struct problem *problem, struct graph *graph, struct json *document,
                         const char *class)
{
    struct binding *bindings;
    struct strbuf text = {0};
    struct error err;

    struct json *tolerance = json_put(document, "tolerance", json_object_new());

    if (strcmp(class, "given") == 0) {
        json_put_number(tolerance, "atol", 1e-4);
        json_put_number(tolerance, "rtol", 1e-4);
    } else {
        json_put_string(tolerance, "class", class);
    }
    json_print(document, &text);
    if (problem_parse(problem, strbuf_cstr(&text), text.len, "p.json", &err))
        fail_msg("%s", err.text);
    strbuf_release(&text);
    bindings = mem_alloc_zeroed(problem->dims.count + 1, sizeof(*bindings));

    struct scope scope = problem_scope(problem, 0, bindings);

    if (graph_build(graph, problem, &scope, &err))
        fail_msg("%s", err.text);
    free(bindings);
}

static double element(const struct wanted *want, size_t i)
{
    return want->dtype == DTYPE_F64 ? ((const double *)want->elements)[i]
                                    : (double)((const float *)want->elements)[i];
}

/* Both kept `x` in the type of expectations, so they may differ by one rounding. */
static bool is_same(const struct wanted *want, double got, double x)
{
    double spacing = want->dtype == DTYPE_F64 ? 0x1p-40 : 0x1p-23;

    return (isnan(got) && isnan(x)) || got == x || fabs(got - x) <= spacing * fabs(x) + 1e-13;
}

/*
 * By which factor tolerances may differ: where lines are long enough to be divided, the drift of
 * their sums is an estimate.
 */
static double slack_of(const struct graph *graph)
{
    for (size_t i = 0; i < graph->values.count; i++)
        if (shape_elements(&graph->values.items[i].shape) > 1 << 16)
            return 1.5;
    return 1;
}

static void compare(const struct value *value, const struct wanted *want, const double *expected,
                    const double *variance, double slack)
{
    size_t count = (size_t)shape_elements(&value->shape);
    float *allowed = want->allowed ? rounding_allowed(value, expected, variance) : NULL;

    for (size_t i = 0; i < count; i++) {
        if (!is_same(want, element(want, i), expected[i]))
            fail_msg("%s[%zu]: %.17g on the device, %.17g on the CPU", value->name, i,
                     element(want, i), expected[i]);
        if (!allowed)
            continue;

        double may = fabs((double)allowed[i]), found = (double)tolerance16_value(want->allowed[i]);

        if (tolerance16_allows_nonfinite(want->allowed[i]) != (allowed[i] < 0))
            fail_msg("%s[%zu] = %g: only the %s lets it be NaN", value->name, i, expected[i],
                     allowed[i] < 0 ? "CPU" : "device");
        if (!(found >= (1 - 1e-5) * may / slack && found <= (1 + 1e-5 + 0x1p-7) * may * slack))
            fail_msg("%s[%zu] = %g: may be off by %g on the device, %g on the CPU", value->name, i,
                     expected[i], found, may);
    }
    free(allowed);
}

static void hold(struct json *document, const char *class)
{
    struct problem problem;
    struct graph graph = {0};
    struct rounding rounding;
    struct oracle_values values = {.rounding = &rounding};
    struct expectation made = {.param_seed = 3, .input_seed = 4};
    struct error err;

    device_oracle_rest(device);
    open_problem(&problem, &graph, document, class);
    assert_int_equal(rounding_of(&problem.tolerance, &rounding), strcmp(class, "given") != 0);
    if (strcmp(class, "given") == 0)
        values.rounding = NULL;
    if (oracle_expect(&graph, NULL, &(struct oracle_seeds){3, 4}, &values, &err) ||
        device_oracle_expect(device, &problem, &graph, &made, &err))
        fail_msg("%s: %s", class, err.text);
    for (size_t i = 0; i < graph.values.count; i++)
        if (graph.values.items[i].role == TENSOR_OUTPUT)
            compare(&graph.values.items[i], &made.outputs[i], values.items[i], values.variances[i],
                    slack_of(&graph));
    expected_outputs_release(&graph, made.outputs);
    oracle_values_release(&values);
    graph_release(&graph);
    problem_release(&problem);
}

/* The argument is CLASS:PATH; the class "given" is a tolerance in numbers. */
static void holds_file(void **state)
{
    const char *argument = *state, *colon = strchr(argument, ':');
    char class[16] = "";
    struct problem problem = {0};
    struct error err;

    memcpy(class, argument, (size_t)(colon - argument));
    if (problem_load(&problem, colon + 1, &err))
        fail_msg("%s", err.text);
    hold(problem.document, class);
    problem_release(&problem);
}

/* An operation on computed values: a is of both signs, b is positive, c is a bool. */
struct use {
    const char *op, *in, *more;
    const char *dtype, *shape; /* of the result */
};

#define EACH(op, in, more)           \
    {                                \
        op, in, more, "f32", "4, 10" \
    }
#define LINE(op, more)                             \
    {                                              \
        op, "\"a\"", "\"dim\": 1" more, "f32", "4" \
    }
#define COMPARISON(op)                            \
    {                                             \
        op, "\"a\", \"row\"", "", "bool", "4, 10" \
    }
#define CAST(dtype)                                                 \
    {                                                               \
        "cast", "\"a\"", "\"dtype\": \"" dtype "\"", dtype, "4, 10" \
    }

static const struct use uses[] = {
    EACH("add", "\"a\", \"b\"", "\"alpha\": 2"),
    EACH("sub", "\"a\", \"row\"", "\"alpha\": 2"),
    EACH("mul", "\"a\", \"b\"", ""),
    EACH("div", "\"a\", \"b\"", ""),
    EACH("pow", "\"b\", \"a\"", ""),
    EACH("maximum", "\"a\", \"b\"", ""),
    EACH("dropout", "\"a\"", ""),
    EACH("abs", "\"a\"", ""),
    EACH("neg", "\"a\"", ""),
    EACH("sign", "\"a\"", ""),
    EACH("relu", "\"a\"", ""),
    EACH("clamp", "\"a\"", "\"min\": -0.5"),
    EACH("leaky_relu", "\"a\"", ""),
    EACH("elu", "\"a\"", ""),
    EACH("selu", "\"a\"", ""),
    EACH("gelu", "\"a\"", ""),
    EACH("gelu", "\"a\"", "\"approximate\": \"tanh\""),
    EACH("silu", "\"a\"", ""),
    EACH("mish", "\"a\"", ""),
    EACH("sigmoid", "\"a\"", ""),
    EACH("softplus", "\"a\"", "\"beta\": 2, \"threshold\": 3"),
    EACH("softsign", "\"a\"", ""),
    EACH("hardtanh", "\"a\"", ""),
    EACH("hardswish", "\"a\"", ""),
    EACH("hardsigmoid", "\"a\"", ""),
    EACH("tanh", "\"a\"", ""),
    EACH("exp", "\"a\"", ""),
    EACH("log", "\"b\"", ""),
    EACH("sqrt", "\"b\"", ""),
    EACH("rsqrt", "\"b\"", ""),
    EACH("sin", "\"a\"", ""),
    EACH("cos", "\"a\"", ""),
    EACH("atan", "\"a\"", ""),
    EACH("erf", "\"a\"", ""),
    CAST("f16"),
    CAST("bf16"),
    CAST("i32"),
    CAST("bool"),
    COMPARISON("eq"),
    COMPARISON("ne"),
    COMPARISON("lt"),
    COMPARISON("le"),
    COMPARISON("gt"),
    COMPARISON("ge"),
    {"argsort", "\"p\"", "\"dim\": 1, \"descending\": true", "i64", "4, 10"},
    EACH("minimum", "\"a\", \"row\"", ""),
    EACH("where", "\"c\", \"a\", \"b\"", ""),
    LINE("sum", ""),
    LINE("mean", ""),
    LINE("max", ""),
    LINE("min", ""),
    LINE("prod", ""),
    {"argmax", "\"a\"", "\"dim\": 0", "i64", "10"},
    {"argmin", "\"a\"", "\"dim\": 0", "i64", "10"},
    EACH("cumsum", "\"a\"", "\"dim\": 0"),
    EACH("cumprod", "\"a\"", "\"dim\": 1"),
    EACH("cummax", "\"a\"", "\"dim\": 1"),
    EACH("logcumsumexp", "\"a\"", "\"dim\": 0"),
    EACH("index_reduce", "\"a\", \"places\", \"b\"", "\"dim\": 1"),
    EACH("index_reduce", "\"a\", \"places\", \"b\"", "\"dim\": -1, \"reduce\": \"amax\""),
    EACH("scatter_reduce", "\"a\", \"cells\", \"b\"", "\"dim\": 0"),
    EACH("index_copy", "\"a\", \"places\", \"b\"", "\"dim\": 1"),
    EACH("rope", "\"a\", \"half\", \"half\"", ""),
    EACH("rope", "\"a\", \"half\", \"half\"", "\"interleaved\": true"),
    {"scaled_dot_product_attention", "\"queries\", \"keys\", \"keys\", \"mask\"",
     "\"enable_gqa\": true", "f32", "4, 2, 5"},
    EACH("scaled_dot_product_attention", "\"a\", \"b\", \"b\"", "\"is_causal\": true"),
    {"matmul", "\"b\", \"running\"", "\"transpose_b\": true", "f32", "4, 4"},
};

/* Operations that are used, and the class of the tolerance. */
struct uses {
    size_t first, end;
    const char *class;
};

/* Numbers of the first operation in class mixed, and of the first with own operands. */
enum { REDUCTIONS = 45, LAST_ONES = COUNT(uses) - 9 };

static void add_tensors(struct strbuf *text, const struct uses *wanted)
{
    static const char *const given[][3] = {{"x", "f32", "\"normal\": [0, 2]"},
                                           {"p", "f32", "\"uniform\": [0.2, 3]"},
                                           {"c", "bool", "\"mask\": 0.5"}};

    for (size_t i = 0; i < COUNT(given); i++)
        strbuf_addf(text,
                    "\"%s\": {\"role\": \"input\", \"dtype\": \"%s\", \"shape\": [4, 10], "
                    "\"fill\": {%s}},",
                    given[i][0], given[i][1], given[i][2]);
    for (size_t i = wanted->first; i < wanted->end; i++)
        strbuf_addf(text, "%s\"y%zu\": {\"role\": \"output\", \"dtype\": \"%s\", \"shape\": [%s]}",
                    i > wanted->first ? "," : "", i, uses[i].dtype, uses[i].shape);
}

/* The operands of the last operations. */
static const char more_nodes[] =
    ", {\"op\": \"slice\", \"in\": [\"b\"], \"out\": \"half\", \"dim\": 1, \"end\": 5}, "
    "{\"op\": \"reshape\", \"in\": [\"c\"], \"out\": \"bits\", \"shape\": [4, 2, 5]}, "
    "{\"op\": \"slice\", \"in\": [\"bits\"], \"out\": \"mask\", \"dim\": 2, \"end\": 2}, "
    "{\"op\": \"slice\", \"in\": [\"c\"], \"out\": \"top\", \"dim\": 0, \"end\": 1}, "
    "{\"op\": \"reshape\", \"in\": [\"top\"], \"out\": \"firsts\", \"shape\": [10]}, "
    "{\"op\": \"cast\", \"in\": [\"firsts\"], \"out\": \"places\", \"dtype\": \"i64\"}, "
    "{\"op\": \"cast\", \"in\": [\"c\"], \"out\": \"cells\", \"dtype\": \"i64\"}, "
    "{\"op\": \"reshape\", \"in\": [\"a\"], \"out\": \"queries\", \"shape\": [4, 2, 5]}, "
    "{\"op\": \"slice\", \"in\": [\"queries\"], \"out\": \"keys\", \"dim\": 0, \"end\": 2}, "
    "{\"op\": \"cumsum\", \"in\": [\"a\"], \"out\": \"running\", \"dim\": 0}";

/* Every operation of these families, on values with rounding errors. */
static void holds_each(void **state)
{
    const struct uses *wanted = *state;
    struct strbuf text = {0};
    struct json *document;

    strbuf_adds(&text, "{\"kforge\": 1, \"name\": \"each\", \"summary\": \"\", \"dims\": {}, "
                       "\"tensors\": {");
    add_tensors(&text, wanted);
    strbuf_adds(&text,
                "}, \"graph\": [{\"op\": \"mul\", \"in\": [\"x\", \"p\"], \"out\": \"a\"}, "
                "{\"op\": \"mul\", \"in\": [\"p\", 1.1], \"out\": \"b\"}, "
                "{\"op\": \"slice\", \"in\": [\"b\"], \"out\": \"row\", \"dim\": 0, \"end\": 1}");
    if (wanted->end > LAST_ONES)
        strbuf_adds(&text, more_nodes);
    for (size_t i = wanted->first; i < wanted->end; i++)
        strbuf_addf(&text, ", {\"op\": \"%s\", \"in\": [%s], \"out\": \"y%zu\"%s%s}", uses[i].op,
                    uses[i].in, i, uses[i].more[0] ? ", " : "", uses[i].more);
    strbuf_adds(&text, "]}");
    document = json_parse(strbuf_cstr(&text), text.len, NULL);
    hold(document, wanted->class);
    json_free(document);
    strbuf_release(&text);
}

static const char *executor_argv[] = {NULL, "--executor", NULL};

int main(int argc, char **argv)
{
    const struct device_oracle_options options = {
        .executor = {.argv = executor_argv,
                     .device = getenv("KFORGE_DEVICE"),
                     .build_limit_us = 120000000,
                     .run_limit_us = 60000000},
        .build = judge_fixture_build_option() ? "-cl-opt-disable -DINDEX=long"
                                              : NULL, /* as for 2^31 elements */
        .inlined_elements = 1,
        .most_kernels = 1,
    };
    static struct uses all = {0, LAST_ONES, "f32"}, mixed = {REDUCTIONS, COUNT(uses), "mixed"};
    struct CMUnitTest tests[64] = {{"each", holds_each, NULL, NULL, &all},
                                   {"reductions", holds_each, NULL, NULL, &mixed}};
    size_t count = 2;
    int failed;

    executor_argv[0] = getenv("KFORGE_WORKER");
    signal(SIGPIPE, SIG_IGN);
    device = device_oracle_new(&options);
    for (int i = 1; i < argc && count < 64; i++)
        tests[count++] = (struct CMUnitTest){argv[i], holds_file, NULL, NULL, argv[i]};
    failed = _cmocka_run_group_tests("device_oracle", tests, count, NULL, NULL);
    device_oracle_free(device);
    return failed;
}
