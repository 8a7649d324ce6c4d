#include "tests/unit/unit.h"

#include <glob.h>
#include <stdio.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/judge/compare/verify.h"
#include "core/judge/host_library/host_library.h"
#include "core/judge/oracle/oracle.h"
#include "core/model/op/op_table.h"
#include "core/model/problem_reader.h"

/* The oracle gives the expected values; golden.oracle checks the oracle against NumPy. */

struct subject {
    struct problem problem;
    struct graph graph;
};

static void build_graph(struct subject *s)
{
    struct binding *bindings = mem_alloc_zeroed(s->problem.dims.count + 1, sizeof(*bindings));
    struct scope scope = problem_scope(&s->problem, 0, bindings);
    struct error err = {0};

    if (graph_build(&s->graph, &s->problem, &scope, &err))
        fail_msg("%s", err.text);
    free(bindings);
}

static void release(struct subject *s)
{
    graph_release(&s->graph);
    problem_release(&s->problem);
}

/* A test case: a graph over the inputs below. */
struct test_case {
    const char *nodes, *y; /* y: the shape of the output `y` */
};

static const char *const inputs[][2] = {
    {"x", "\"f32\", \"shape\": [6, 5, 37], \"fill\": {\"normal\": [0, 2]}"},
    {"z", "\"f32\", \"shape\": [6, 5, 37], \"fill\": {\"normal\": [0, 2]}"},
    {"above", "\"f32\", \"shape\": [6, 5, 37], \"fill\": {\"uniform\": [0.1, 3]}"},
    {"mask", "\"bool\", \"shape\": [5, 37], \"fill\": {\"mask\": 0.5}"},
    {"half", "\"f16\", \"shape\": [6, 5, 37], \"fill\": {\"normal\": [0, 2]}"},
    {"slab", "\"f32\", \"shape\": [6, 1, 37], \"fill\": {\"normal\": [0, 2]}"},
    {"plane", "\"f32\", \"shape\": [5, 37], \"fill\": {\"normal\": [1, 1]}"},
    {"row", "\"f32\", \"shape\": [37], \"fill\": {\"normal\": [1, 1]}"},
    {"column", "\"f32\", \"shape\": [5, 1], \"fill\": {\"normal\": [0, 2]}"},
    {"scalar", "\"f32\", \"shape\": [], \"fill\": {\"uniform\": [1, 2]}"},
    {"large", "\"f32\", \"shape\": [300, 700], \"fill\": {\"normal\": [1, 4]}"},
    {"tall", "\"f32\", \"shape\": [300, 1], \"fill\": {\"normal\": [1, 4]}"},
    {"weight", "\"f32\", \"shape\": [11, 37], \"fill\": {\"normal\": [0, 1]}"},
    {"bias", "\"f32\", \"shape\": [11], \"fill\": {\"normal\": [0, 9]}"},
    {"left", "\"f32\", \"shape\": [3, 1, 4, 6], \"fill\": {\"normal\": [0, 1]}"},
    {"right", "\"f32\", \"shape\": [2, 6, 7], \"fill\": {\"normal\": [0, 1]}"},
    {"heads", "\"f32\", \"shape\": [16, 64, 48], \"fill\": {\"normal\": [0, 1]}"},
    {"line", "\"f32\", \"shape\": [300000], \"fill\": {\"normal\": [0, 1]}"},
    {"cube", "\"f32\", \"shape\": [37, 5, 40], \"fill\": {\"normal\": [0, 1]}"},
    {"order", "\"i32\", \"shape\": [6], \"fill\": {\"permutation\": []}"},
    {"places", "\"i64\", \"shape\": [4, 3, 9], \"fill\": {\"integers\": [0, 4]}"},
    {"word", "\"i32\", \"shape\": [2, 3], \"fill\": {\"integers\": [0, 10]}"},
    {"twice", "\"i32\", \"shape\": [9], \"fill\": {\"integers\": [0, 36]}"},
    {"part", "\"f32\", \"shape\": [4, 3, 9], \"fill\": {\"normal\": [0, 1]}"},
    {"patch", "\"f32\", \"shape\": [6, 5, 9], \"fill\": {\"normal\": [0, 1]}"},
    {"channel", "\"f32\", \"shape\": [5], \"fill\": {\"uniform\": [0.5, 2]}"},
    {"signal", "\"f32\", \"shape\": [2, 4, 23], \"fill\": {\"normal\": [0, 1]}"},
    {"image", "\"f32\", \"shape\": [2, 4, 9, 11], \"fill\": {\"normal\": [0, 1]}"},
    {"film", "\"f32\", \"shape\": [1, 4, 5, 6, 7], \"fill\": {\"normal\": [0, 1]}"},
    {"picture", "\"f32\", \"shape\": [1, 4, 90, 900], \"fill\": {\"normal\": [0, 1]}"},
    {"w1", "\"f32\", \"shape\": [4, 2, 3], \"fill\": {\"normal\": [0, 1]}"},
    {"w2", "\"f32\", \"shape\": [4, 4, 3, 2], \"fill\": {\"normal\": [0, 1]}"},
    {"each", "\"f32\", \"shape\": [4, 1, 3, 3], \"fill\": {\"normal\": [0, 1]}"},
    {"point", "\"f32\", \"shape\": [4, 4, 1, 1], \"fill\": {\"normal\": [0, 1]}"},
    {"w3", "\"f32\", \"shape\": [4, 4, 2, 3, 2], \"fill\": {\"normal\": [0, 1]}"},
    {"b4", "\"f32\", \"shape\": [4], \"fill\": {\"normal\": [0, 9]}"},
    {"q", "\"f32\", \"shape\": [2, 4, 70, 8], \"fill\": {\"normal\": [0, 1]}"},
    {"k", "\"f32\", \"shape\": [2, 2, 90, 8], \"fill\": {\"normal\": [0, 1]}"},
    {"v", "\"f32\", \"shape\": [2, 2, 90, 6], \"fill\": {\"normal\": [0, 1]}"},
    {"own", "\"f32\", \"shape\": [2, 4, 30, 8], \"fill\": {\"normal\": [0, 1]}"},
    {"seen", "\"bool\", \"shape\": [2, 1, 70, 30], \"fill\": {\"mask\": 0.05}"},
    {"extra", "\"f32\", \"shape\": [4, 1, 30], \"fill\": {\"normal\": [0, 1]}"},
    {"gates", "\"f32\", \"shape\": [9, 4, 80], \"fill\": {\"normal\": [0, 1]}"},
    {"recur", "\"f32\", \"shape\": [80, 20], \"fill\": {\"normal\": [0, 0.2]}"},
    {"recur3", "\"f32\", \"shape\": [81, 27], \"fill\": {\"normal\": [0, 0.2]}"},
    {"gates3", "\"f32\", \"shape\": [9, 4, 81], \"fill\": {\"normal\": [0, 1]}"},
    {"gates1", "\"f32\", \"shape\": [9, 4, 20], \"fill\": {\"normal\": [0, 1]}"},
    {"recur1", "\"f32\", \"shape\": [20, 20], \"fill\": {\"normal\": [0, 0.2]}"},
    {"state", "\"f32\", \"shape\": [4, 20], \"fill\": {\"normal\": [0, 1]}"},
    {"state3", "\"f32\", \"shape\": [4, 27], \"fill\": {\"normal\": [0, 1]}"},
    {"few", "\"f32\", \"shape\": [70, 4], \"fill\": {\"normal\": [0, 1]}"},
    {"many", "\"f32\", \"shape\": [5000, 4], \"fill\": {\"normal\": [0, 1]}"},
    {"turns", "\"f32\", \"shape\": [70, 4], \"fill\": {\"uniform\": [-1, 1]}"},
    {"turn", "\"f32\", \"shape\": [4, 1, 1], \"fill\": {\"uniform\": [-1, 1]}"},
    {"far", "\"i64\", \"shape\": [37], \"fill\": {\"integers\": [0, 16777217]}"},
    {"count", "\"i32\", \"shape\": [37], \"fill\": {\"integers\": [0, 9]}"},
    {"double", "\"f64\", \"shape\": [37], \"fill\": {\"normal\": [0, 1]}"},
};

static void add_inputs(const char *nodes, struct strbuf *text)
{
    char quoted[32];

    for (size_t i = 0; i < sizeof(inputs) / sizeof(inputs[0]); i++) {
        snprintf(quoted, sizeof(quoted), "\"%s\"", inputs[i][0]);
        if (strstr(nodes, quoted))
            strbuf_addf(text, "%s: {\"role\": \"input\", \"dtype\": %s}, ", quoted, inputs[i][1]);
    }
}

static struct subject make_subject(const char *nodes, const char *y, const char *tolerance)
{
    struct strbuf text = {0};
    struct subject s = {0};
    struct error err = {0};

    strbuf_addf(&text,
                "{\"kforge\": 1, \"name\": \"p\", \"summary\": \"\", \"dims\": {},"
                " \"tolerance\": {\"class\": \"%s\"}, \"graph\": [%s], \"tensors\": {",
                tolerance, nodes);
    add_inputs(nodes, &text);
    strbuf_addf(&text, "\"y\": {\"role\": \"output\", %s}}}", y);
    if (problem_parse(&s.problem, strbuf_cstr(&text), text.len, "p.json", &err))
        fail_msg("%s: %s", nodes, err.text);
    strbuf_release(&text);
    build_graph(&s);
    return s;
}

/* The library computes float32 elements, whatever the output's type. */
static void compare_output(const struct subject *s, const char *what, size_t index,
                           const struct host_library *library, const struct oracle_values *expected)
{
    struct value value = s->graph.values.items[index];
    const struct tolerance *tolerance = &s->problem.tolerance;
    struct wanted want = {.elements = expected->items[index], .dtype = DTYPE_F64};
    struct trial trial = {0};

    value.dtype = DTYPE_F32;
    verify_output(&(struct output){&value, host_library_output(library, index), want}, tolerance,
                  &trial, NULL);
    if (!verify_passes(&trial, tolerance))
        fail_msg("%s: %s: %g times the tolerance", what, value.name, trial.worst_over_tolerance);
}

/* This run reuses the memory of the one in host_library_new(), with the values that it left. */
static void compare(const struct subject *s, const char *what)
{
    const uint64_t seed = 20261120;
    struct oracle_values expected = {0};
    struct host_library *library;
    struct error err = {0};

    if (host_library_check(&s->problem, &s->graph, &err) ||
        oracle_expect(&s->graph, NULL, &(struct oracle_seeds){seed, seed}, &expected, &err)) {
        fail_msg("%s: %s", what, err.text);
        return;
    }
    library = host_library_new(&s->graph, seed);
    assert_true(host_library_run_us(library) > 0);
    for (size_t i = 0; i < s->graph.values.count; i++)
        if (s->graph.values.items[i].role == TENSOR_OUTPUT)
            compare_output(s, what, i, library, &expected);
    oracle_values_release(&expected);
    host_library_free(library);
}

#define NODE(op, in) "{\"op\": \"" op "\", \"in\": [" in "], \"out\": \"y\"}"
#define WITH(op, in, attributes) \
    "{\"op\": \"" op "\", \"in\": [" in "], \"out\": \"y\", " attributes "}"
#define THROUGH(op, in, attributes)                                          \
    "{\"op\": \"" op "\", \"in\": [" in "], \"out\": \"other\", " attributes \
    "}, " WITH("cast", "\"other\"", "\"dtype\": \"f32\"")
#define COMPARED(op)                                                           \
    "{\"op\": \"" op "\", \"in\": [\"x\", \"z\"], \"out\": \"other\"}, " WITH( \
        "cast", "\"other\"", "\"dtype\": \"f32\"")
#define X_SHAPE   "[6, 5, 37]"
#define ATTENTION "scaled_dot_product_attention"

static const struct test_case cases[] = {
    {NODE("add", "\"x\", \"z\""), X_SHAPE},
    {WITH("add", "\"slab\", \"column\"", "\"alpha\": 0.5"), X_SHAPE},
    {NODE("add", "\"large\", \"tall\""), "[300, 700]"},
    {WITH("sub", "1, \"x\"", "\"alpha\": 3"), X_SHAPE},
    {NODE("mul", "\"row\", \"x\""), X_SHAPE},
    {NODE("mul", "\"scalar\", \"large\""), "[300, 700]"},
    {NODE("mul", "\"scalar\", 2"), "[]"},
    {NODE("div", "\"x\", \"above\""), X_SHAPE},
    {NODE("pow", "\"above\", \"x\""), X_SHAPE},
    {NODE("pow", "\"x\", 3"), X_SHAPE},
    {NODE("minimum", "\"x\", \"z\""), X_SHAPE},
    {NODE("maximum", "\"x\", \"plane\""), X_SHAPE},
    {NODE("where", "\"mask\", \"x\", \"slab\""), X_SHAPE},
    {NODE("abs", "\"x\""), X_SHAPE},
    {NODE("neg", "\"x\""), X_SHAPE},
    {NODE("sign", "\"x\""), X_SHAPE},
    {NODE("relu", "\"x\""), X_SHAPE},
    {WITH("clamp", "\"x\"", "\"min\": -0.5"), X_SHAPE},
    {WITH("clamp", "\"x\"", "\"min\": 2, \"max\": -1"), X_SHAPE},
    {WITH("leaky_relu", "\"x\"", "\"negative_slope\": 0.2"), X_SHAPE},
    {WITH("elu", "\"x\"", "\"alpha\": 0.7"), X_SHAPE},
    {NODE("selu", "\"x\""), X_SHAPE},
    {NODE("gelu", "\"x\""), X_SHAPE},
    {WITH("gelu", "\"x\"", "\"approximate\": \"tanh\""), X_SHAPE},
    {NODE("silu", "\"x\""), X_SHAPE},
    {NODE("mish", "\"x\""), X_SHAPE},
    {NODE("sigmoid", "\"x\""), X_SHAPE},
    {WITH("softplus", "\"x\"", "\"beta\": 2, \"threshold\": 3"), X_SHAPE},
    {NODE("softsign", "\"x\""), X_SHAPE},
    {NODE("hardtanh", "\"x\""), X_SHAPE},
    {NODE("hardswish", "\"x\""), X_SHAPE},
    {NODE("hardsigmoid", "\"x\""), X_SHAPE},
    {NODE("tanh", "\"x\""), X_SHAPE},
    {NODE("exp", "\"x\""), X_SHAPE},
    {NODE("log", "\"above\""), X_SHAPE},
    {NODE("sqrt", "\"above\""), X_SHAPE},
    {NODE("rsqrt", "\"above\""), X_SHAPE},
    {NODE("sin", "\"x\""), X_SHAPE},
    {NODE("cos", "\"x\""), X_SHAPE},
    {NODE("atan", "\"x\""), X_SHAPE},
    {NODE("erf", "\"x\""), X_SHAPE},

    {NODE("sum", "\"large\""), "[]"},
    {WITH("sum", "\"large\"", "\"dim\": 1"), "[300]"},
    {WITH("sum", "\"large\"", "\"dim\": 0"), "[700]"},
    {WITH("sum", "\"x\"", "\"dim\": [0, 2]"), "[5]"},
    {WITH("mean", "\"x\"", "\"dim\": 1, \"keepdim\": true"), "[6, 1, 37]"},
    {WITH("max", "\"x\"", "\"dim\": -1"), "[6, 5]"},
    {WITH("min", "\"x\"", "\"dim\": 0"), "[5, 37]"},
    {WITH("prod", "\"above\"", "\"dim\": -1"), "[6, 5]"},
    {WITH("var", "\"large\"", "\"dim\": 0"), "[700]"},
    {WITH("var", "\"x\"", "\"correction\": 0"), "[]"},
    {WITH("logsumexp", "\"large\"", "\"dim\": 1"), "[300]"},

    {WITH("softmax", "\"large\"", "\"dim\": -1"), "[300, 700]"},
    {WITH("softmax", "\"large\"", "\"dim\": 0"), "[300, 700]"},
    {WITH("log_softmax", "\"x\"", "\"dim\": -1"), X_SHAPE},
    {WITH("log_softmax", "\"x\"", "\"dim\": 1"), X_SHAPE},
    {WITH("rms_norm", "\"x\"", "\"eps\": 0.1"), X_SHAPE},
    {NODE("rms_norm", "\"x\", \"plane\""), X_SHAPE},
    {NODE("layer_norm", "\"x\""), X_SHAPE},
    {NODE("layer_norm", "\"x\", \"row\", \"row\""), X_SHAPE},

    {NODE("matmul", "\"left\", \"right\""), "[3, 2, 4, 7]"},
    {WITH("matmul", "\"heads\", \"heads\"", "\"transpose_b\": true"), "[16, 64, 64]"},
    {WITH("matmul", "\"heads\", \"heads\"", "\"transpose_a\": true"), "[16, 48, 48]"},
    {NODE("linear", "\"x\", \"weight\""), "[6, 5, 11]"},
    {NODE("linear", "\"x\", \"weight\", \"bias\""), "[6, 5, 11]"},

    {WITH("cast", "\"x\"", "\"dtype\": \"f32\""), X_SHAPE},
    {THROUGH("cast", "\"x\"", "\"dtype\": \"i32\""), X_SHAPE},
    {THROUGH("cast", "\"x\"", "\"dtype\": \"bool\""), X_SHAPE},
    {COMPARED("eq"), X_SHAPE},
    {COMPARED("ne"), X_SHAPE},
    {COMPARED("lt"), X_SHAPE},
    {COMPARED("le"), X_SHAPE},
    {COMPARED("gt"), X_SHAPE},
    {COMPARED("ge"), X_SHAPE},
    {THROUGH("cast", "\"x\"", "\"dtype\": \"bf16\""), X_SHAPE},
    {WITH("dropout", "\"x\"", "\"p\": 0.4"), X_SHAPE},

    {NODE("sum", "\"line\""), "[]"},
    {NODE("mean", "\"line\""), "[]"},
    {NODE("max", "\"line\""), "[]"},
    {NODE("min", "\"line\""), "[]"},
    {NODE("var", "\"line\""), "[]"},
    {NODE("logsumexp", "\"line\""), "[]"},
    {THROUGH("argmax", "\"line\"", "\"keepdim\": false"), "[]"},
    {THROUGH("argmax", "\"large\"", "\"dim\": 1"), "[300]"},
    {THROUGH("argmin", "\"large\"", "\"dim\": 0"), "[700]"},
    {THROUGH("argmin", "\"x\"", "\"dim\": -1, \"keepdim\": true"), "[6, 5, 1]"},
    {WITH("cumsum", "\"x\"", "\"dim\": 2"), X_SHAPE},
    {WITH("cumsum", "\"x\"", "\"dim\": 0"), X_SHAPE},
    {WITH("cumprod", "\"x\"", "\"dim\": 1"), X_SHAPE},
    {WITH("cummax", "\"x\"", "\"dim\": 1"), X_SHAPE},
    {WITH("logcumsumexp", "\"x\"", "\"dim\": -1"), X_SHAPE},
    {"{\"op\": \"argsort\", \"in\": [\"x\"], \"dim\": 1, \"descending\": true, \"out\": \"t\"},"
     "{\"op\": \"gather\", \"in\": [\"x\", \"t\"], \"dim\": 1, \"out\": \"y\"}",
     X_SHAPE},

    {NODE("batch_norm", "\"x\", \"channel\", \"channel\""), X_SHAPE},
    {NODE("batch_norm", "\"x\", \"channel\", \"channel\", \"channel\", \"channel\""), X_SHAPE},
    {WITH("group_norm", "\"image\", \"b4\", \"b4\"", "\"num_groups\": 2"), "[2, 4, 9, 11]"},
    {WITH("instance_norm", "\"x\", \"channel\"", "\"eps\": 0.1"), X_SHAPE},

    {WITH("conv1d", "\"signal\", \"w1\", \"b4\"",
          "\"stride\": 2, \"padding\": 3, \"dilation\": 2, \"groups\": 2"),
     "[2, 4, 13]"},
    {WITH("conv2d", "\"image\", \"w2\"", "\"padding\": [1, 4]"), "[2, 4, 9, 18]"},
    {WITH("conv2d", "\"image\", \"each\", \"b4\"", "\"groups\": 4, \"stride\": [1, 3]"),
     "[2, 4, 7, 3]"},
    {NODE("conv2d", "\"image\", \"point\", \"b4\""), "[2, 4, 9, 11]"},
    {WITH("conv2d", "\"image\", \"point\"", "\"padding\": 1"), "[2, 4, 11, 13]"},
    {WITH("conv2d", "\"picture\", \"w2\"", "\"padding\": 1"), "[1, 4, 90, 901]"},
    {WITH("conv3d", "\"film\", \"w3\"", "\"padding\": 1, \"dilation\": [2, 1, 3]"),
     "[1, 4, 5, 6, 6]"},
    {WITH("conv_transpose1d", "\"signal\", \"w1\", \"b4\"",
          "\"stride\": 3, \"padding\": 2, \"output_padding\": 2, \"dilation\": 2, \"groups\": 2"),
     "[2, 4, 69]"},
    {WITH("conv_transpose2d", "\"image\", \"w2\"", "\"stride\": [1, 2], \"padding\": [1, 0]"),
     "[2, 4, 9, 22]"},
    {NODE("conv_transpose2d", "\"picture\", \"w2\", \"b4\""), "[1, 4, 92, 901]"},
    {WITH("conv_transpose3d", "\"film\", \"w3\", \"b4\"", "\"stride\": 2"), "[1, 4, 10, 13, 14]"},

    {WITH("max_pool1d", "\"signal\"", "\"kernel_size\": 3, \"stride\": 2, \"dilation\": 2"),
     "[2, 4, 10]"},
    {WITH("max_pool2d", "\"image\"",
          "\"kernel_size\": [3, 2], \"stride\": 2, \"padding\": 1, \"ceil_mode\": true"),
     "[2, 4, 5, 6]"},
    {WITH("max_pool3d", "\"film\"", "\"kernel_size\": 2"), "[1, 4, 2, 3, 3]"},
    {WITH("avg_pool1d", "\"signal\"", "\"kernel_size\": 5, \"padding\": 2"), "[2, 4, 5]"},
    {WITH("avg_pool2d", "\"image\"",
          "\"kernel_size\": 3, \"padding\": 1, \"count_include_pad\": false"),
     "[2, 4, 3, 4]"},
    {WITH("avg_pool3d", "\"film\"",
          "\"kernel_size\": [3, 2, 3], \"stride\": 2, \"padding\": 1, \"ceil_mode\": true"),
     "[1, 4, 3, 4, 4]"},
    {WITH("adaptive_max_pool1d", "\"signal\"", "\"output_size\": 7"), "[2, 4, 7]"},
    {WITH("adaptive_max_pool2d", "\"image\"", "\"output_size\": [4, 15]"), "[2, 4, 4, 15]"},
    {WITH("adaptive_max_pool3d", "\"film\"", "\"output_size\": 2"), "[1, 4, 2, 2, 2]"},
    {WITH("adaptive_avg_pool1d", "\"signal\"", "\"output_size\": 7"), "[2, 4, 7]"},
    {WITH("adaptive_avg_pool2d", "\"image\"", "\"output_size\": 1"), "[2, 4, 1, 1]"},
    {WITH("adaptive_avg_pool3d", "\"film\"", "\"output_size\": [2, 4, 3]"), "[1, 4, 2, 4, 3]"},

    {WITH(ATTENTION, "\"q\", \"k\", \"v\"", "\"enable_gqa\": true"), "[2, 4, 70, 6]"},
    {WITH(ATTENTION, "\"q\", \"k\", \"v\"", "\"enable_gqa\": true, \"is_causal\": true"),
     "[2, 4, 70, 6]"},
    {WITH(ATTENTION, "\"q\", \"own\", \"own\"", "\"is_causal\": true, \"scale\": 0.7"),
     "[2, 4, 70, 8]"},
    {NODE(ATTENTION, "\"q\", \"own\", \"own\", \"seen\""), "[2, 4, 70, 8]"},
    {NODE(ATTENTION, "\"q\", \"own\", \"own\", \"extra\""), "[2, 4, 70, 8]"},
    {NODE(ATTENTION, "\"few\", \"many\", \"many\""), "[70, 4]"},
    {NODE("rope", "\"q\", \"turns\", \"turn\""), "[2, 4, 70, 8]"},
    {WITH("rope", "\"q\", \"turn\", \"turns\"", "\"interleaved\": true"), "[2, 4, 70, 8]"},
    {WITH("lstm", "\"gates\", \"recur\", \"state\", \"state\"", "\"reverse\": true"),
     "[2, 9, 4, 20]"},
    {NODE("gru", "\"gates3\", \"recur3\", \"state3\""), "[9, 4, 27]"},
    {NODE("rnn", "\"gates1\", \"recur1\", \"state\""), "[9, 4, 20]"},
    {WITH("rnn", "\"gates1\", \"recur1\", \"state\"", "\"nonlinearity\": \"relu\""), "[9, 4, 20]"},

    {WITH("reshape", "\"x\"", "\"shape\": [37, -1]"), "[37, 30]"},
    {NODE("flatten", "\"x\""), "[1110]"},
    {WITH("squeeze", "\"slab\"", "\"dim\": 1"), "[6, 37]"},
    {WITH("unsqueeze", "\"x\"", "\"dim\": 1"), "[6, 1, 5, 37]"},
    {WITH("permute", "\"cube\"", "\"dims\": [2, 0, 1]"), "[40, 37, 5]"},
    {WITH("permute", "\"cube\"", "\"dims\": [1, 2, 0]"), "[5, 40, 37]"},
    {WITH("permute", "\"cube\"", "\"dims\": [2, 1, 0]"), "[40, 5, 37]"},
    {WITH("permute", "\"cube\"", "\"dims\": [1, 0, 2]"), "[5, 37, 40]"},
    {WITH("transpose", "\"large\"", "\"dim0\": 0, \"dim1\": 1"), "[700, 300]"},
    {WITH("slice", "\"cube\"", "\"dim\": -1, \"start\": 3, \"end\": -2, \"step\": 4"),
     "[37, 5, 9]"},
    {WITH("slice", "\"large\"", "\"dim\": 0, \"start\": -7"), "[7, 700]"},
    {WITH("expand", "\"slab\"", "\"size\": [2, -1, 5, 37]"), "[2, 6, 5, 37]"},
    {WITH("expand", "\"scalar\"", "\"size\": [3, 4]"), "[3, 4]"},
    {WITH("concat", "\"x\", \"slab\", \"z\"", "\"dim\": 1"), "[6, 11, 37]"},
    {WITH("concat", "\"large\", \"tall\"", "\"dim\": -1"), "[300, 701]"},
    {WITH("pad", "\"x\"", "\"pad\": [3, -30, -1, 2], \"value\": 7"), "[6, 6, 10]"},
    {WITH("pad", "\"large\"", "\"pad\": [-1, 2, 5, 0]"), "[305, 701]"},
    {WITH("pad", "\"row\"", "\"pad\": [-40, 5]"), "[2]"},
    {WITH("pad", "\"scalar\"", "\"pad\": []"), "[]"},
    {WITH("gather", "\"x\", \"places\"", "\"dim\": 0"), "[4, 3, 9]"},
    {WITH("gather", "\"x\", \"places\"", "\"dim\": 2"), "[4, 3, 9]"},
    {WITH("index_select", "\"x\", \"order\"", "\"dim\": 0"), X_SHAPE},
    {WITH("index_select", "\"x\", \"twice\"", "\"dim\": 2"), "[6, 5, 9]"},
    {NODE("embedding", "\"word\", \"weight\""), "[2, 3, 37]"},
    {WITH("index_copy", "\"x\", \"order\", \"z\"", "\"dim\": 0"), X_SHAPE},
    {WITH("index_copy", "\"x\", \"twice\", \"patch\"", "\"dim\": -1"), X_SHAPE},
    {WITH("index_reduce", "\"x\", \"order\", \"z\"", "\"dim\": 0"), X_SHAPE},
    {WITH("index_reduce", "\"x\", \"twice\", \"patch\"", "\"dim\": -1, \"reduce\": \"amax\""),
     X_SHAPE},
    {WITH("scatter_reduce", "\"x\", \"places\", \"part\"", "\"dim\": 0"), X_SHAPE},
    {"{\"op\": \"argmax\", \"in\": [\"x\"], \"dim\": 2, \"keepdim\": true, \"out\": \"a\"},"
     "{\"op\": \"argmin\", \"in\": [\"x\"], \"dim\": 2, \"keepdim\": true, \"out\": \"b\"},"
     "{\"op\": \"concat\", \"in\": [\"a\", \"b\"], \"dim\": 2, \"out\": \"i\"},"
     "{\"op\": \"gather\", \"in\": [\"x\", \"i\"], \"dim\": 2, \"out\": \"y\"}",
     "[6, 5, 2]"},

    /* NaN and infinite values */
    {"{\"op\": \"sqrt\", \"in\": [\"x\"], \"out\": \"t\"}," THROUGH("argmax", "\"t\"",
                                                                    "\"dim\": 2"),
     "[6, 5]"},
    {"{\"op\": \"sqrt\", \"in\": [\"image\"], \"out\": \"t\"}," WITH("max_pool2d", "\"t\"",
                                                                     "\"kernel_size\": 2"),
     "[2, 4, 4, 5]"},
    {"{\"op\": \"log\", \"in\": [\"line\"], \"out\": \"t\"}," NODE("max", "\"t\""), "[]"},
    {"{\"op\": \"sqrt\", \"in\": [\"x\"], \"out\": \"t\"},"
     "{\"op\": \"max\", \"in\": [\"t\"], \"dim\": 1, \"out\": \"y\"}",
     "[6, 37]"},
    {"{\"op\": \"relu\", \"in\": [\"x\"], \"out\": \"t\"},"
     "{\"op\": \"log\", \"in\": [\"t\"], \"out\": \"u\"},"
     "{\"op\": \"softmax\", \"in\": [\"u\"], \"dim\": -1, \"out\": \"y\"}",
     X_SHAPE},
};

static void every_operation_agrees_with_the_oracle(void **state)
{
    char y[64];

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        snprintf(y, sizeof(y), "\"dtype\": \"f32\", \"shape\": %s", cases[i].y);

        struct subject s = make_subject(cases[i].nodes, y, "f32");

        compare(&s, cases[i].nodes);
        release(&s);
    }
}

static bool is_covered(const char *op)
{
    char pattern[64];

    snprintf(pattern, sizeof(pattern), "\"op\": \"%s\"", op);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        if (strstr(cases[i].nodes, pattern))
            return true;
    return false;
}

static void no_operation_is_left_out(void **state)
{
    (void)state;
    for (size_t i = 0; op_at(i); i++)
        if (!is_covered(op_at(i)->name))
            fail_msg("there is no case for %s", op_at(i)->name);
}

/* For 16-bit types the host library computes in float32. */
static void sixteen_bits_are_computed_in_float32(void **state)
{
    struct subject s =
        make_subject(NODE("gelu", "\"half\""), "\"dtype\": \"f16\", \"shape\": " X_SHAPE, "mixed");

    (void)state;
    compare(&s, "f16");
    release(&s);
}

static void every_problem_that_ships_agrees_with_the_oracle(void **state)
{
    glob_t files = {0};

    (void)state;
    assert_int_equal(glob(KFORGE_SOURCE_DIR "/prompts/problems/*.json", 0, NULL, &files), 0);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        struct subject s = {0};
        struct error err = {0};

        if (problem_load(&s.problem, files.gl_pathv[i], &err))
            fail_msg("%s", err.text);
        build_graph(&s);
        compare(&s, files.gl_pathv[i]);
        release(&s);
    }
    globfree(&files);
}

static void expect_refusal(const char *nodes, const char *y, const char *text)
{
    struct subject s = make_subject(nodes, y, "f32");
    struct error err = {0};

    assert_int_equal(host_library_check(&s.problem, &s.graph, &err), STATUS_NOT_FOUND);
    assert_string_equal(err.text, text);
    release(&s);
}

static void what_has_no_float32_version_is_named(void **state)
{
    const struct graph unknown = {0};
    struct error err;

    (void)state;
    expect_refusal(WITH("slice", "\"far\"", "\"dim\": 0"), "\"dtype\": \"i64\", \"shape\": [37]",
                   "p.json: graph[0]: float32 cannot represent the integers of \"far\"");
    expect_refusal("{\"op\": \"expand\", \"in\": [\"scalar\"], \"size\": [16777217], \"out\": "
                   "\"t\"}," NODE("argmax", "\"t\""),
                   "\"dtype\": \"i64\", \"shape\": []",
                   "p.json: graph[1]: float32 cannot represent all indices of \"t\"");
    expect_refusal(NODE("neg", "\"count\""), "\"dtype\": \"i32\", \"shape\": [37]",
                   "p.json: graph[0]: neg of i32 has no float32 version");
    expect_refusal(NODE("neg", "\"double\""), "\"dtype\": \"f64\", \"shape\": [37]",
                   "p.json: graph[0]: neg of f64 has no float32 version");
    assert_int_equal(
        host_library_check(&(struct problem){.file = (char[]){"p.json"}}, &unknown, &err),
        STATUS_NOT_FOUND);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_operation_agrees_with_the_oracle),
        cmocka_unit_test(no_operation_is_left_out),
        cmocka_unit_test(sixteen_bits_are_computed_in_float32),
        cmocka_unit_test(every_problem_that_ships_agrees_with_the_oracle),
        cmocka_unit_test(what_has_no_float32_version_is_named),
    };

    return cmocka_run_group_tests_name("host_library", tests, NULL, NULL);
}
