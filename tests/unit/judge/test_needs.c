/*
 * Holds the count of needed elements (core/model/roofline/needs.h) against the oracle: an element
 * is needed when another number in its place changes an output. The count must be exact where
 * nothing is in doubt, and must never exceed the elements that change an output.
 */
#include "tests/unit/unit.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/judge/oracle/oracle.h"
#include "core/model/problem_reader.h"
#include "core/model/roofline/needs.h"

/* A tensor of a case. `x` is always the input that is asked about. */
#define T(role, name, dtype, shape, fill) \
    "\"" name "\": {\"role\": \"" role "\", \"dtype\": \"" dtype "\", \"shape\": " shape fill "}"
#define FILLED(fill)     ", \"fill\": " fill
#define NORMAL           FILLED("{\"normal\": [0, 1]}")
#define X(shape)         T("input", "x", "f32", shape, NORMAL)
#define IN(name, shape)  ", " T("input", name, "f32", shape, NORMAL)
#define W(shape)         ", " T("param", "w", "f32", shape, NORMAL)
#define Y(shape)         ", " T("output", "y", "f32", shape, "")
#define OP(op, in, more) "{\"op\": \"" op "\", \"in\": [" in "]" more ", \"out\": \"y\"}"
#define STEP(op, in, more, out) \
    "{\"op\": \"" op "\", \"in\": [" in "]" more ", \"out\": \"" out "\"}, "
#define x_ "\"x\""
#define w_ "\"w\""
#define a_ "\"a\""
#define b_ "\"b\""
#define t_ "\"t\""

struct needs_case {
    const char *name, *tensors, *graph;
    double needed; /* of x */
};

/* Cases in which all elements that are needed are counted. */
static const struct needs_case exact[] = {
    {"relu", X("[4, 5]") Y("[4, 5]"), OP("relu", x_, ""), 20},
    {"clamp", X("[4, 5]") Y("[4, 5]"), OP("clamp", x_, ", \"min\": -1, \"max\": 1"), 20},
    {"clamp to one number", X("[4]") Y("[4]"), OP("clamp", x_, ", \"min\": 1, \"max\": 1"), 0},
    {"add, broadcast", X("[5]") IN("a", "[4, 5]") Y("[4, 5]"), OP("add", a_ ", " x_, ""), 5},
    {"add nothing of it", X("[5]") IN("a", "[5]") Y("[5]"), OP("add", a_ ", " x_, ", \"alpha\": 0"),
     0},
    {"x - x", X("[5]") IN("a", "[5]") Y("[5]"),
     STEP("sub", x_ ", " x_, "", "t") OP("add", t_ ", " a_, ""), 0},
    {"x + x", X("[5]") Y("[5]"), OP("add", x_ ", " x_, ""), 5},
    {"x * x", X("[5]") Y("[5]"), OP("mul", x_ ", " x_, ""), 5},
    {"x / x", X("[5]") IN("a", "[5]") Y("[5]"),
     STEP("div", x_ ", " x_, "", "t") OP("add", t_ ", " a_, ""), 0},
    {"times 0", X("[5]") Y("[5]"), OP("mul", x_ ", 0", ""), 0},
    {"times 3", X("[5]") Y("[5]"), OP("mul", x_ ", 3", ""), 5},
    {"times a drawn tensor", X("[5]") IN("a", "[5]") Y("[5]"), OP("mul", x_ ", " a_, ""), 5},
    {"divided", X("[5]") IN("a", "[5]") Y("[5]"), OP("div", a_ ", " x_, ""), 5},
    {"power of 0", X("[5]") Y("[5]"), OP("pow", x_ ", 0", ""), 0},
    {"power of 3", X("[5]") Y("[5]"), OP("pow", x_ ", 3", ""), 5},
    {"maximum", X("[5]") IN("a", "[5]") Y("[5]"), OP("maximum", x_ ", " a_, ""), 5},
    {"gated", X("[3, 4]") IN("a", "[3, 4]") Y("[3, 4]"),
     STEP("silu", a_, "", "t") OP("mul", t_ ", " x_, ""), 12},
    {"sum of rows", X("[4, 5]") Y("[4]"), OP("sum", x_, ", \"dim\": 1"), 20},
    {"max of columns", X("[4, 5]") Y("[1, 5]"), OP("max", x_, ", \"dim\": 0, \"keepdim\": true"),
     20},
    {"largest of one", X("[4, 1]") ", " T("output", "y", "i64", "[4]", ""),
     OP("argmax", x_, ", \"dim\": 1"), 0},
    {"argmax", X("[4, 3]") ", " T("output", "y", "i64", "[4]", ""),
     OP("argmax", x_, ", \"dim\": 1"), 12},
    {"product of numbers", X("[4, 3]") Y("[4]"), OP("prod", x_, ", \"dim\": 1"), 12},
    {"softmax", X("[4, 5]") Y("[4, 5]"), OP("softmax", x_, ", \"dim\": 1"), 20},
    {"softmax of one", X("[4, 1]") Y("[4, 1]"), OP("softmax", x_, ", \"dim\": 1"), 0},
    {"slice of a softmax", X("[4, 5]") Y("[2, 1]"),
     STEP("softmax", x_, ", \"dim\": 1", "t") STEP("slice", t_, ", \"dim\": 1, \"end\": 1", "u")
         OP("slice", "\"u\"", ", \"dim\": 0, \"start\": 1, \"end\": 3"),
     10},
    {"cumsum, first part", X("[4, 6]") Y("[4, 2]"),
     STEP("cumsum", x_, ", \"dim\": 1", "t")
         OP("slice", t_, ", \"dim\": 1, \"start\": 1, \"end\": 4, \"step\": 2"),
     16},
    {"layer_norm", X("[4, 6]") Y("[4, 6]"), OP("layer_norm", x_, ""), 24},
    {"layer_norm of one", X("[4, 1]") Y("[4, 1]"), OP("layer_norm", x_, ""), 0},
    {"group_norm", X("[2, 4, 3]") Y("[2, 4, 3]"), OP("group_norm", x_, ", \"num_groups\": 2"), 24},
    {"matmul", X("[3, 4]") IN("a", "[4, 5]") Y("[3, 5]"), OP("matmul", x_ ", " a_, ""), 12},
    {"matmul, second, turned", X("[5, 4]") IN("a", "[2, 3, 4]") Y("[2, 3, 5]"),
     OP("matmul", a_ ", " x_, ", \"transpose_b\": true"), 20},
    {"a column of a product", X("[4, 5]") IN("a", "[3, 4]") Y("[3, 1]"),
     STEP("matmul", a_ ", " x_, "", "t") OP("slice", t_, ", \"dim\": 1, \"start\": 2, \"end\": 3"),
     4},
    {"rows of a turned product", X("[4, 6]") IN("a", "[4, 5]") Y("[2, 5]"),
     STEP("matmul", x_ ", " a_, ", \"transpose_a\": true", "t")
         OP("slice", t_, ", \"dim\": 0, \"step\": 3"),
     8},
    {"linear", X("[2, 3, 4]") W("[5, 4]") Y("[2, 3, 5]"), OP("linear", x_ ", " w_, ""), 24},
    {"linear, last sample", X("[2, 3, 4]") W("[5, 4]") Y("[1, 3, 5]"),
     STEP("linear", x_ ", " w_, "", "t") OP("slice", t_, ", \"dim\": 0, \"start\": -1"), 12},
    {"conv2d", X("[1, 2, 5, 5]") W("[3, 2, 3, 3]") Y("[1, 3, 3, 3]"), OP("conv2d", x_ ", " w_, ""),
     50},
    {"conv1d that skips", X("[1, 2, 11]") W("[3, 2, 2]") Y("[1, 3, 3]"),
     OP("conv1d", x_ ", " w_, ", \"stride\": 4"), 12},
    {"conv1d, dilated and strided", X("[1, 1, 12]") W("[2, 1, 3]") Y("[1, 2, 4]"),
     OP("conv1d", x_ ", " w_, ", \"stride\": 2, \"dilation\": 2, \"groups\": 1"), 6},
    {"conv2d by points", X("[1, 1, 7, 7]") W("[2, 1, 1, 1]") Y("[1, 2, 3, 3]"),
     OP("conv2d", x_ ", " w_, ", \"stride\": 3"), 9},
    {"transposed, cropped", X("[1, 1, 6]") W("[1, 2, 2]") Y("[1, 2, 3]"),
     OP("conv_transpose1d", x_ ", " w_, ", \"padding\": 2"), 4},
    {"pooling that skips", X("[1, 2, 11]") Y("[1, 2, 3]"),
     OP("max_pool1d", x_, ", \"kernel_size\": 2, \"stride\": 4"), 12},
    {"pooling that skips, padded", X("[1, 1, 20]") Y("[1, 1, 6]"),
     OP("avg_pool1d", x_, ", \"kernel_size\": 2, \"stride\": 4, \"padding\": 1"), 10},
    {"pooling that skips, in space", X("[1, 1, 9, 9]") Y("[1, 1, 3, 3]"),
     OP("max_pool2d", x_, ", \"kernel_size\": 2, \"stride\": 3"), 36},
    {"pooling", X("[1, 1, 6, 6]") Y("[1, 1, 3, 3]"), OP("avg_pool2d", x_, ", \"kernel_size\": 2"),
     36},
    {"adaptive pooling", X("[1, 1, 7]") Y("[1, 1, 3]"),
     OP("adaptive_avg_pool1d", x_, ", \"output_size\": 3"), 7},
    {"slices that meet", X("[4, 6]") Y("[4, 3]"),
     STEP("slice", x_, ", \"dim\": 1, \"end\": 3", "s")
         STEP("slice", x_, ", \"dim\": 1, \"start\": 3", "t") OP("mul", "\"s\", " t_, ""),
     24},
    {"slices that interleave", X("[8]") Y("[4]"),
     STEP("slice", x_, ", \"dim\": 0, \"step\": 2", "s") STEP(
         "slice", x_, ", \"dim\": 0, \"start\": 1, \"step\": 2", "t") OP("add", "\"s\", " t_, ""),
     8},
    {"rows of a flat view", X("[6, 4]") Y("[8]"),
     STEP("reshape", x_, ", \"shape\": [24]", "t")
         OP("slice", t_, ", \"dim\": 0, \"start\": 4, \"end\": 12"),
     8},
    {"a part of merged axes", X("[3, 2, 4]") Y("[2, 8]"),
     STEP("flatten", x_, ", \"start_dim\": 1", "t") OP("slice", t_, ", \"dim\": 0, \"start\": 1"),
     16},
    {"permute", X("[2, 3, 4]") Y("[1, 2, 3]"),
     STEP("permute", x_, ", \"dims\": [2, 0, 1]", "t") OP("slice", t_, ", \"dim\": 0, \"end\": 1"),
     6},
    {"transpose", X("[2, 3]") Y("[1, 2]"),
     STEP("transpose", x_, ", \"dim0\": 0, \"dim1\": 1", "t")
         OP("slice", t_, ", \"dim\": 0, \"start\": 2"),
     2},
    {"squeezed and expanded", X("[1, 3]") Y("[4, 3]"),
     STEP("squeeze", x_, "", "s") STEP("unsqueeze", "\"s\"", ", \"dim\": 0", "t")
         OP("expand", t_, ", \"size\": [4, 3]"),
     3},
    {"concat, cut", X("[4]") IN("a", "[4]") Y("[5]"),
     STEP("concat", a_ ", " x_, ", \"dim\": 0", "t")
         OP("slice", t_, ", \"dim\": 0, \"start\": 2, \"end\": 7"),
     3},
    {"padding that crops", X("[5, 6]") Y("[4, 4]"), OP("pad", x_, ", \"pad\": [-2, 0, 0, -1]"), 16},
    {"attention", X("[2, 3, 4]") IN("a", "[2, 5, 4]") IN("b", "[2, 5, 6]") Y("[2, 3, 6]"),
     OP("scaled_dot_product_attention", x_ ", " a_ ", " b_, ""), 24},
    {"causal queries", X("[1, 3, 4]") IN("a", "[1, 3, 4]") IN("b", "[1, 3, 2]") Y("[1, 3, 2]"),
     OP("scaled_dot_product_attention", x_ ", " a_ ", " b_, ", \"is_causal\": true"), 8},
    {"causal values", X("[1, 5, 2]") IN("a", "[1, 3, 4]") IN("b", "[1, 5, 4]") Y("[1, 3, 2]"),
     OP("scaled_dot_product_attention", a_ ", " b_ ", " x_, ", \"is_causal\": true"), 6},
    {"rope", X("[3, 4]") IN("a", "[3, 2]") IN("b", "[3, 2]") Y("[3, 4]"),
     OP("rope", x_ ", " a_ ", " b_, ""), 12},
};

#define INDEX(shape, fill) ", " T("input", "i", "i32", shape, FILLED(fill))

/* Cases in which the count may be lower than the elements that change an output. */
static const struct needs_case lower[] = {
    {"chosen by a condition",
     X("[40]") ", " T("input", "i", "bool", "[40]", FILLED("{\"mask\": 0.25}")) IN("a", "[40]")
         Y("[40]"),
     OP("where", "\"i\", " x_ ", " a_, ""), 0},
    {"times a mask",
     X("[40]") ", " T("input", "i", "f32", "[40]", FILLED("{\"mask\": 0.25}")) Y("[40]"),
     OP("mul", "\"i\", " x_, ""), 0},
    {"times a relu", X("[40]") IN("a", "[40]") Y("[40]"),
     STEP("relu", a_, "", "t") OP("mul", t_ ", " x_, ""), 0},
    {"product with a mask",
     X("[4, 5]") ", " T("input", "i", "f32", "[3, 4]", FILLED("{\"mask\": 0.5}")) Y("[3, 5]"),
     OP("matmul", "\"i\", " x_, ""), 0},
    {"rows by a permutation", X("[9, 4]") INDEX("[5]", "{\"permutation\": []}") Y("[5, 4]"),
     OP("index_select", x_ ", \"i\"", ", \"dim\": 0"), 20},
    {"few rows that an index can name",
     X("[50, 4]") INDEX("[64]", "{\"integers\": [7, 9]}") Y("[64, 4]"),
     OP("embedding", "\"i\", " x_, ""), 8},
    {"gathered", X("[50]") INDEX("[64]", "{\"integers\": [3, 4]}") Y("[64]"),
     OP("gather", x_ ", \"i\"", ", \"dim\": 0"), 2},
    {"overwritten", X("[9, 2]") INDEX("[4]", "{\"permutation\": []}") IN("a", "[4, 2]") Y("[9, 2]"),
     OP("index_copy", x_ ", \"i\", " a_, ", \"dim\": 0"), 10},
    {"always the same", T("input", "x", "f32", "[5]", FILLED("{\"constant\": 2}")) Y("[5]"),
     OP("neg", x_, ""), 0},
};

/* A case, its graph and one draw of its tensors. */
struct asked {
    struct problem problem;
    struct graph graph;
    struct oracle_values values;
    size_t x;
};

static void ask(const struct needs_case *c, struct asked *asked)
{
    struct strbuf text = {0};
    struct binding none[1];
    struct scope scope;
    struct error err;

    strbuf_addf(&text,
                "{\"kforge\": 1, \"name\": \"p\", \"summary\": \"\", \"dims\": {}, \"tensors\": "
                "{%s}, \"graph\": [%s], \"tolerance\": {\"class\": \"f32\"}}",
                c->tensors, c->graph);
    *asked = (struct asked){.x = 0};
    if (problem_parse(&asked->problem, strbuf_cstr(&text), text.len, c->name, &err))
        fail_msg("%s", err.text);
    scope = problem_scope(&asked->problem, 0, none);
    if (graph_build(&asked->graph, &asked->problem, &scope, &err))
        fail_msg("%s: %s", c->name, err.text);
    asked->x = graph_find(&asked->graph, "x");
    asked->values = oracle_values_make(&asked->graph);
    for (size_t i = 0; i < asked->graph.values.count; i++)
        if (tensor_is_given(asked->graph.values.items[i].role))
            oracle_draw(&asked->graph, i, 5, &asked->values);
    strbuf_release(&text);
}

static void release(struct asked *asked)
{
    oracle_values_release(&asked->values);
    graph_release(&asked->graph);
    problem_release(&asked->problem);
}

/* The output for the drawn tensors; the caller frees. */
static double *compute(struct asked *asked)
{
    struct oracle_values values = oracle_values_make(&asked->graph);
    size_t y = graph_find(&asked->graph, "y");
    double *made;

    for (size_t i = 0; i < values.count; i++)
        values.items[i] = asked->values.items[i];
    assert_int_equal(oracle_evaluate(&asked->graph, &values, NULL), STATUS_OK);
    made = values.items[y];
    values.items[y] = NULL;
    for (size_t i = 0; i < values.count; i++)
        if (values.items[i] == asked->values.items[i])
            values.items[i] = NULL;
    oracle_values_release(&values);
    return made;
}

static bool changes(struct asked *asked, size_t element, double number, const double *before)
{
    size_t y = graph_find(&asked->graph, "y");
    size_t count = (size_t)shape_elements(&asked->graph.values.items[y].shape);
    double *x = asked->values.items[asked->x], was = x[element], *after;
    bool differs = false;

    x[element] = number;
    after = compute(asked);
    for (size_t i = 0; i < count; i++)
        differs = differs || before[i] != after[i];
    x[element] = was;
    free(after);
    return differs;
}

/* The elements of x of which some number changes the output. */
static double measure(struct asked *asked)
{
    size_t count = (size_t)shape_elements(&asked->graph.values.items[asked->x].shape), needed = 0;
    double *before = compute(asked);

    for (size_t i = 0; i < count; i++)
        needed += changes(asked, i, 3, before) || changes(asked, i, -3, before) ||
                  changes(asked, i, 0.5, before);
    free(before);
    return (double)needed;
}

static void every_needed_element_is_counted(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(exact); i++) {
        struct asked asked;
        double counted, measured;

        ask(&exact[i], &asked);
        counted = needs_elements(&asked.graph, asked.x);
        measured = measure(&asked);
        if (counted != exact[i].needed || measured != exact[i].needed)
            fail_msg("%s: %g elements are needed, %g counted, %g measured", exact[i].name,
                     exact[i].needed, counted, measured);
        release(&asked);
    }
}

static void what_is_in_doubt_is_not_counted(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(lower); i++) {
        struct asked asked;
        double counted, measured;

        ask(&lower[i], &asked);
        counted = needs_elements(&asked.graph, asked.x);
        measured = measure(&asked);
        if (counted != lower[i].needed || counted > measured)
            fail_msg("%s: %g elements are to be counted, %g are, %g measured", lower[i].name,
                     lower[i].needed, counted, measured);
        release(&asked);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_needed_element_is_counted),
        cmocka_unit_test(what_is_in_doubt_is_not_counted),
    };

    return cmocka_run_group_tests_name("needs", tests, NULL, NULL);
}
