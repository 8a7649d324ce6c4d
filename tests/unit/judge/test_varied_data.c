#include "tests/unit/tried_fixture.h"

#include <math.h>
#include <stdio.h>

#include "core/base/array.h"
#include "core/base/strbuf.h"
#include "core/judge/oracle/variation.h"

/* The variations that a problem is tried on, and those that are left out as unfair. */

static void assert_all_fair(const struct tried *tried)
{
    for (int v = VARIATION_NONE + 1; v < VARIATION_COUNT; v++)
        if (tried->is_tried[v] && v != VARIATION_CONSTANT && !tried->is_fair[v])
            fail_msg("%s are not fair", variation_name((enum variation)v));
}

/* The exponential of the constant is 0. The constant itself is out of proportion to all data. */
static void a_mask_leaves_data_fair(void **state)
{
    struct tried tried =
        tried_on("\"dims\": {}, \"tensors\": {"
                 "\"x\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [6, 40],"
                 " \"fill\": {\"normal\": [0, 1]}},"
                 "\"m\": {\"role\": \"input\", \"dtype\": \"bool\", \"shape\": [6, 40],"
                 " \"fill\": {\"mask\": 0.3}},"
                 "\"y\": {\"role\": \"output\", \"dtype\": \"f32\", \"shape\": [6, 40]}},"
                 "\"graph\": [{\"op\": \"where\", \"in\": [\"m\", -3.4e38, \"x\"], \"out\": \"t\"},"
                 "{\"op\": \"softmax\", \"in\": [\"t\"], \"out\": \"y\", \"dim\": -1}]");

    (void)state;
    assert_all_fair(&tried);
}

/* Numbers that a tensor is padded with belong to the graph, as those of a mask. */
static void a_padding_leaves_data_fair(void **state)
{
    struct tried tried =
        tried_on("\"dims\": {}, \"tensors\": {"
                 "\"x\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [6, 40],"
                 " \"fill\": {\"normal\": [0, 1]}},"
                 "\"f\": {\"role\": \"param\", \"dtype\": \"f32\", \"shape\": [6, 42],"
                 " \"fill\": {\"constant\": 2e38}},"
                 "\"y\": {\"role\": \"output\", \"dtype\": \"i64\", \"shape\": [6]}},"
                 "\"graph\": [{\"op\": \"pad\", \"in\": [\"x\"], \"out\": \"p\", \"pad\": [1, 1],"
                 " \"value\": -3e38},"
                 "{\"op\": \"minimum\", \"in\": [\"p\", \"f\"], \"out\": \"m\"},"
                 "{\"op\": \"argmax\", \"in\": [\"m\"], \"out\": \"y\", \"dim\": 1}]");

    (void)state;
    assert_true(tried.is_tried[VARIATION_OUTLIERS]);
    assert_all_fair(&tried);
}

/* The logarithm of a mask is -inf, and a row of these has no softmax, whoever computes it. */
static void infinities_of_a_mask_leave_data_fair(void **state)
{
    struct tried tried =
        tried_on("\"dims\": {}, \"tensors\": {"
                 "\"x\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [6, 40],"
                 " \"fill\": {\"normal\": [0, 1]}},"
                 "\"m\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [6, 40],"
                 " \"fill\": {\"mask\": 0.3}},"
                 "\"y\": {\"role\": \"output\", \"dtype\": \"f32\", \"shape\": [6, 40]}},"
                 "\"graph\": [{\"op\": \"log\", \"in\": [\"m\"], \"out\": \"l\"},"
                 "{\"op\": \"add\", \"in\": [\"x\", \"l\"], \"out\": \"t\"},"
                 "{\"op\": \"softmax\", \"in\": [\"t\"], \"out\": \"y\", \"dim\": -1}]");

    (void)state;
    assert_true(tried.is_tried[VARIATION_OUTLIERS] && tried.is_tried[VARIATION_ENDS]);
    assert_all_fair(&tried);
}

/* A sum of two inputs that cancels is exact in all its bits, and no kernel computes it otherwise.
 */
static void sums_that_cancel_leave_data_fair(void **state)
{
    struct tried tried =
        tried_on("\"dims\": {}, \"tensors\": {"
                 "\"x\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [64, 256],"
                 " \"fill\": {\"normal\": [0, 1]}},"
                 "\"b\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [64, 256],"
                 " \"fill\": {\"normal\": [0, 1]}},"
                 "\"y\": {\"role\": \"output\", \"dtype\": \"f32\", \"shape\": [64, 256]}},"
                 "\"graph\": [{\"op\": \"add\", \"in\": [\"x\", \"b\"], \"out\": \"y\"}]");

    (void)state;
    assert_all_fair(&tried);
    assert_false(tried.is_tried[VARIATION_FARTHEST]);
}

#define ROWS(graph)                                                           \
    "\"dims\": {}, \"tensors\": {"                                            \
    "\"x\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [8, 48],"    \
    " \"fill\": {\"normal\": [0, 1]}},"                                       \
    "\"y\": {\"role\": \"output\", \"dtype\": \"f32\", \"shape\": [8, 48]}}," \
    "\"graph\": [" graph "]"

/*
 * Small rows are nothing in a sum over rows, so all are tiny there; and in front of a norm, which
 * hides factors of larger ones.
 */
static void all_rows_are_tiny_where_they_are_joined(void **state)
{
    struct tried norm = tried_on(ROWS("{\"op\": \"silu\", \"in\": [\"x\"], \"out\": \"t\"},"
                                      "{\"op\": \"rms_norm\", \"in\": [\"t\"], \"out\": \"y\"}"));
    struct tried rows = tried_on(ROWS("{\"op\": \"exp\", \"in\": [\"x\"], \"out\": \"y\"}"));
    struct tried all =
        tried_on("\"dims\": {}, \"tensors\": {"
                 "\"x\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [8, 48],"
                 " \"fill\": {\"normal\": [0, 1]}},"
                 "\"y\": {\"role\": \"output\", \"dtype\": \"f32\", \"shape\": []}},"
                 "\"graph\": [{\"op\": \"mean\", \"in\": [\"x\"], \"out\": \"y\"}]");

    (void)state;
    assert_false(rows.is_tried[VARIATION_TINY]);
    assert_true(all.is_fair[VARIATION_TINY]);
    assert_true(norm.is_fair[VARIATION_TINY]);
}

/* Small rows of a product have the tolerance of its largest one, and a sum that of all terms. */
static void rows_are_tiny_where_products_are_summed(void **state)
{
    static const char *const sums[] = {
        "{\"op\": \"matmul\", \"in\": [\"x\", \"w\"], \"out\": \"t\"},"
        "{\"op\": \"sum\", \"in\": [\"t\"], \"out\": \"y\", \"dim\": 1, \"keepdim\": true}",
        "{\"op\": \"sum\", \"in\": [\"x\"], \"out\": \"t\", \"dim\": 1, \"keepdim\": true},"
        "{\"op\": \"matmul\", \"in\": [\"t\", \"v\"], \"out\": \"y\"}"};

    (void)state;
    for (size_t i = 0; i < COUNT(sums); i++) {
        struct strbuf text = {0};
        struct tried tried;

        strbuf_addf(&text,
                    "\"dims\": {}, \"tensors\": {"
                    "\"x\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [8, 48],"
                    " \"fill\": {\"uniform\": [0, 1]}},"
                    "\"%s\": {\"role\": \"param\", \"dtype\": \"f32\", \"shape\": [%d, %d],"
                    " \"fill\": {\"normal\": [0, 1]}},"
                    "\"y\": {\"role\": \"output\", \"dtype\": \"f32\", \"shape\": [8, 1]}},"
                    "\"graph\": [%s]",
                    i ? "v" : "w", i ? 1 : 48, i ? 1 : 32, sums[i]);
        tried = tried_on(strbuf_cstr(&text));
        assert_true(tried.is_fair[VARIATION_TINY] == (i == 0));
        strbuf_release(&text);
    }
}

static bool moves(const char *graph)
{
    struct tried tried = tried_on(graph);

    return tried.is_fair[VARIATION_FARTHEST] || tried.is_fair[VARIATION_MOVED];
}

#define SOFTMAX(in) "{\"op\": \"softmax\", \"in\": [\"" in "\"], \"out\": \"y\", \"dim\": -1}"
#define KEPT(op, in, out)                                        \
    "{\"op\": \"" op "\", \"in\": [\"" in "\"], \"out\": \"" out \
    "\", \"dim\": -1, \"keepdim\": true},"

/* Far from zero E[x^2] - E[x]^2 has no bits left, which is no fault of an honest kernel. */
static void rows_move_where_nothing_is_a_moment(void **state)
{
    (void)state;
    assert_true(moves(ROWS(SOFTMAX("x"))));
    assert_true(moves(ROWS(
        KEPT("max", "x", "m") "{\"op\": \"maximum\", \"in\": [\"x\", \"m\"], \"out\": \"y\"}")));
    assert_true(moves(ROWS(
        KEPT("mean", "x",
             "m") "{\"op\": \"minimum\", \"in\": [\"x\", \"m\"], \"out\": \"t\"}," SOFTMAX("t"))));
    assert_true(moves(ROWS("{\"op\": \"mul\", \"in\": [\"x\", 2], \"out\": \"s\"}," KEPT(
        "mean", "s",
        "m") "{\"op\": \"minimum\", \"in\": [\"x\", \"m\"], \"out\": \"t\"}," SOFTMAX("t"))));
    assert_false(
        moves(ROWS("{\"op\": \"layer_norm\", \"in\": [\"x\"], \"out\": \"t\"}," SOFTMAX("t"))));
    /* Behind a softmax nothing is far from zero. */
    assert_true(moves(ROWS("{\"op\": \"softmax\", \"in\": [\"x\"], \"out\": \"t\", \"dim\": -1},"
                           "{\"op\": \"layer_norm\", \"in\": [\"t\"], \"out\": \"y\"}")));
    assert_false(moves(ROWS("{\"op\": \"mul\", \"in\": [\"x\", \"x\"], \"out\": \"s\"}," KEPT(
        "mean", "s",
        "m") "{\"op\": \"sub\", \"in\": [\"x\", \"m\"], \"out\": \"t\"}," SOFTMAX("t"))));
}

#define COMPARED(result, dim, op)                                                  \
    "\"dims\": {}, \"tensors\": {"                                                 \
    "\"x\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [48, 8],"         \
    " \"fill\": {\"normal\": [0, 1]}},"                                            \
    "\"m\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [48, 1],"         \
    " \"fill\": {\"normal\": [0, 1]}},"                                            \
    "\"k\": {\"role\": \"input\", \"dtype\": \"bool\", \"shape\": [48, 8],"        \
    " \"fill\": {\"mask\": 0.5}},"                                                 \
    "\"y\": {\"role\": \"output\", \"dtype\": \"i64\", \"shape\": [" result "]}}," \
    "\"graph\": [{\"op\": \"" op "\", \"in\": [\"x\", \"m\"], \"out\": \"s\"},"    \
    "{\"op\": \"gt\", \"in\": [\"s\", \"m\"], \"out\": \"g\"},"                    \
    "{\"op\": \"eq\", \"in\": [\"g\", \"k\"], \"out\": \"e\"},"                    \
    "{\"op\": \"sum\", \"in\": [\"e\"], \"out\": \"y\", \"dim\": " dim "}]"

/* Products and scores that lie very far from zero have no bits left for an exponential. */
static void exponentials_are_not_moved_very_far(void **state)
{
    struct tried scores = tried_on(ROWS(SOFTMAX("x")));
    struct tried products =
        tried_on(ROWS("{\"op\": \"mul\", \"in\": [\"x\", \"x\"], \"out\": \"t\"}," KEPT(
            "max", "t", "m") "{\"op\": \"sub\", \"in\": [\"t\", \"m\"], \"out\": \"y\"}"));

    (void)state;
    assert_true(scores.is_tried[VARIATION_MOVED] && !scores.is_tried[VARIATION_FARTHEST]);
    assert_true(products.is_tried[VARIATION_MOVED] && !products.is_tried[VARIATION_FARTHEST]);
}

/* The exponential of the one peak is all that is left of a deep row, so its rounding is nothing. */
static void exponentials_lie_deep(void **state)
{
    struct tried scores = tried_on(ROWS(SOFTMAX("x")));
    struct tried sums =
        tried_on(ROWS(KEPT("logsumexp", "x", "m") "{\"op\": \"sub\", \"in\": [\"x\", \"m\"], "
                                                  "\"out\": \"y\"}"));
    struct tried none = tried_on(ROWS("{\"op\": \"relu\", \"in\": [\"x\"], \"out\": \"y\"}"));

    (void)state;
    assert_true(scores.is_fair[VARIATION_DEEP]);
    assert_true(sums.is_fair[VARIATION_DEEP]);
    assert_false(none.is_tried[VARIATION_DEEP]);
}

/* Nothing rounds what is only moved, or one of two elements, however near zero it is. */
static void what_keeps_its_bits_is_tried_near_zero(void **state)
{
    struct tried kept = tried_on(ROWS("{\"op\": \"relu\", \"in\": [\"x\"], \"out\": \"y\"}"));
    struct tried doubled =
        tried_on(ROWS("{\"op\": \"add\", \"in\": [\"x\", \"x\"], \"out\": \"y\"}"));

    (void)state;
    assert_true(kept.is_fair[VARIATION_CONSTANT]);
    assert_false(doubled.is_tried[VARIATION_CONSTANT]);
}

/* Nothing is rounded in a comparison, so equal numbers and rows of one number are fair. */
static void counts_of_comparisons_are_exact(void **state)
{
    struct tried rows = tried_on(COMPARED("48", "1", "minimum"));
    struct tried rounded = tried_on(COMPARED("48", "1", "add"));

    (void)state;
    assert_true(rows.is_fair[VARIATION_TIES] && rows.is_fair[VARIATION_CONSTANT]);
    assert_false(rounded.is_tried[VARIATION_CONSTANT]);
}

/* Masks of one value are rows where rows are counted, and columns where columns are. */
static void ends_lie_along_what_is_counted(void **state)
{
    struct tried rows = tried_on(COMPARED("48", "1", "minimum"));
    struct tried columns = tried_on(COMPARED("8", "0", "minimum"));

    (void)state;
    assert_true(rows.is_fair[VARIATION_ENDS] && !rows.is_tried[VARIATION_END_COLUMNS]);
    assert_true(columns.is_fair[VARIATION_END_COLUMNS] && !columns.is_tried[VARIATION_ENDS]);
}

/* The least element leaves an implementation no choice that would make errors of differences. */
static void differences_of_least_elements_are_fair(void **state)
{
    struct tried tried = tried_on(
        ROWS(KEPT("min", "x", "m") "{\"op\": \"sub\", \"in\": [\"x\", \"m\"], \"out\": \"y\"}"));

    (void)state;
    assert_true(tried.is_fair[VARIATION_FARTHEST] && tried.is_fair[VARIATION_NEGATIVE]);
    assert_true(tried.is_fair[VARIATION_MINUTE] && tried.is_fair[VARIATION_OUTLIERS]);
}

/* Rows are changed in turns of eight, and one row says little, however large its weights are. */
static void a_case_of_few_rows_is_not_varied(void **state)
{
    struct tried tried =
        tried_on("\"dims\": {\"M\": 256, \"K\": 64}, \"dynamic\": [\"M\"],"
                 "\"also\": [{\"M\": 1}, {\"M\": 7}, {\"M\": 37}], \"tensors\": {"
                 "\"x\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [\"M\", \"K\"],"
                 " \"fill\": {\"normal\": [0, 1]}},"
                 "\"w\": {\"role\": \"param\", \"dtype\": \"f32\", \"shape\": [\"K\", \"K\"],"
                 " \"fill\": {\"normal\": [0, 0.1]}},"
                 "\"y\": {\"role\": \"output\", \"dtype\": \"f32\", \"shape\": [\"M\", \"K\"]}},"
                 "\"graph\": [{\"op\": \"linear\", \"in\": [\"x\", \"w\"], \"out\": \"y\"}]");

    (void)state;
    assert_string_equal(tried.dims, "M=37 K=64");
    assert_true(tried.has_varied_params);
}

/* A counter of eight bits overflows where a row is long and all of it counts. */
static void ends_are_tried_where_sums_are_longest(void **state)
{
    struct tried tried =
        tried_on("\"dims\": {\"M\": 16, \"N\": 300}, \"dynamic\": [\"N\"], \"also\": [{\"N\": 40}],"
                 "\"tensors\": {"
                 "\"x\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [\"M\", \"N\"],"
                 " \"fill\": {\"normal\": [0, 1]}},"
                 "\"m\": {\"role\": \"input\", \"dtype\": \"bool\", \"shape\": [\"M\", \"N\"],"
                 " \"fill\": {\"mask\": 0.5}},"
                 "\"z\": {\"role\": \"output\", \"dtype\": \"f32\", \"shape\": [\"M\", \"N\"]},"
                 "\"y\": {\"role\": \"output\", \"dtype\": \"i64\", \"shape\": [\"M\"]}},"
                 "\"graph\": [{\"op\": \"relu\", \"in\": [\"x\"], \"out\": \"z\"},"
                 "{\"op\": \"sum\", \"in\": [\"m\"], \"out\": \"y\", \"dim\": -1}]");

    (void)state;
    assert_true(tried.is_fair[VARIATION_ENDS]);
    assert_string_equal(tried.ends_dims, "M=16 N=300");
    assert_string_equal(tried.dims, "M=16 N=40");
}

/* A loss near zero needs a reason in all rows: only one element of them all is an output. */
static void losses_are_tried_near_zero(void **state)
{
#define LOSS(target, last)                                                        \
    "\"dims\": {\"M\": 16, \"N\": 10}, \"tensors\": {"                            \
    "\"x\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [\"M\", \"N\"]," \
    " \"fill\": {\"normal\": [0, 1]}}, \"t\": {\"role\": \"input\", " target "}," \
    "\"y\": {\"role\": \"output\", \"dtype\": \"f32\", \"shape\": []}},"          \
    "\"graph\": [" last "{\"op\": \"mean\", \"in\": [\"d\"], \"out\": \"y\"}]"
    struct tried squares = tried_on(
        LOSS("\"dtype\": \"f32\", \"shape\": [\"M\", \"N\"], \"fill\": {\"normal\": [0, 1]}",
             "{\"op\": \"sub\", \"in\": [\"x\", \"t\"], \"out\": \"e\"},"
             "{\"op\": \"mul\", \"in\": [\"e\", \"e\"], \"out\": \"d\"},"));
    struct tried classes =
        tried_on(LOSS("\"dtype\": \"i64\", \"shape\": [\"M\", 1], \"fill\": {\"integers\": [0, 9]}",
                      "{\"op\": \"log_softmax\", \"in\": [\"x\"], \"out\": \"l\", \"dim\": -1},"
                      "{\"op\": \"gather\", \"in\": [\"l\", \"t\"], \"out\": \"d\", \"dim\": 1},"));
#undef LOSS

    (void)state;
    assert_true(squares.is_fair[VARIATION_NEAR] && !squares.is_tried[VARIATION_SURE]);
    assert_true(classes.is_fair[VARIATION_SURE] && !classes.is_tried[VARIATION_NEAR]);
}

/* Functions of the first input's elements that are the second value's, as a bridge computes them.
 */
static enum status evaluate_with(double (*function)(double), const struct graph *graph,
                                 struct oracle_values *values)
{
    size_t count = (size_t)shape_elements(&graph->values.items[0].shape);

    values->items[1] = block_pool_take(values->blocks, count, sizeof(double));
    for (size_t i = 0; i < count; i++)
        values->items[1][i] = function(values->items[0][i]);
    return STATUS_OK;
}

static enum status evaluate_log(void *data, const struct graph *graph, struct oracle_values *values,
                                struct error *err)
{
    (void)data;
    (void)err;
    return evaluate_with(log, graph, values);
}

static enum status evaluate_root(void *data, const struct graph *graph,
                                 struct oracle_values *values, struct error *err)
{
    (void)data;
    (void)err;
    return evaluate_with(cbrt, graph, values);
}

static enum status evaluate_step(void *data, const struct graph *graph,
                                 struct oracle_values *values, struct error *err)
{
    (void)data;
    (void)err;
    return evaluate_with(floor, graph, values);
}

static struct tried tried_without_graph(const char *dtype,
                                        enum status (*evaluate)(void *, const struct graph *,
                                                                struct oracle_values *,
                                                                struct error *))
{
    const struct oracle_evaluator evaluator = {.evaluate = evaluate};
    char body[512];

    snprintf(body, sizeof(body),
             "\"dims\": {}, \"tensors\": {"
             "\"x\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [6, 40],"
             " \"fill\": {\"normal\": [0, 1]}},"
             "\"y\": {\"role\": \"output\", \"dtype\": \"%s\", \"shape\": [6, 40]}},"
             "\"graph\": null",
             dtype);
    return tried_by(body, &evaluator);
}

/* Only outputs are known there, and integers may depend on what is equal. */
static void problems_without_a_graph_are_varied(void **state)
{
    struct tried root = tried_without_graph("f32", evaluate_root);
    struct tried logarithm = tried_without_graph("f32", evaluate_log);
    struct tried step = tried_without_graph("i32", evaluate_step);

    (void)state;
    assert_true(root.is_fair[VARIATION_TIES] && root.is_fair[VARIATION_OUTLIERS]);
    assert_false(root.is_tried[VARIATION_FARTHEST]);
    assert_true(logarithm.is_tried[VARIATION_NEGATIVE] && !logarithm.is_fair[VARIATION_NEGATIVE]);
    assert_true(step.is_tried[VARIATION_SORTED] && !step.is_fair[VARIATION_SORTED]);
}

/* The trials of a norm of rows that are looked up in a table of so many. */
static struct tried tried_on_table(int rows)
{
    char body[1024];

    snprintf(body, sizeof(body),
             "\"dims\": {}, \"tensors\": {"
             "\"i\": {\"role\": \"input\", \"dtype\": \"i32\", \"shape\": [40],"
             " \"fill\": {\"integers\": [0, %d]}},"
             "\"e\": {\"role\": \"param\", \"dtype\": \"f32\", \"shape\": [%d, 32],"
             " \"fill\": {\"normal\": [0, 1]}},"
             "\"y\": {\"role\": \"output\", \"dtype\": \"f32\", \"shape\": [40, 32]}},"
             "\"graph\": [{\"op\": \"embedding\", \"in\": [\"i\", \"e\"], \"out\": \"t\"},"
             "{\"op\": \"layer_norm\", \"in\": [\"t\"], \"out\": \"y\"}]",
             rows - 1, rows);
    return tried_on(body);
}

/* An epsilon that is too large is found by small rows, wherever they come from. */
static void tables_are_varied_unless_they_are_large(void **state)
{
    struct tried small = tried_on_table(60), large = tried_on_table(140000);

    (void)state;
    assert_true(small.is_fair[VARIATION_MINUTE] && small.is_fair[VARIATION_OUTLIERS]);
    assert_false(small.is_tried[VARIATION_MOVED]);
    assert_true(large.is_tried[VARIATION_ENDS] && !large.is_tried[VARIATION_MINUTE]);
}

/* All scores of a row lie below -10000, where a maximum often begins. */
static void scores_of_attention_lie_far_below_zero(void **state)
{
    const struct tried t =
        tried_on("\"dims\": {}, \"tensors\": {"
                 "\"q\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [1, 20, 16],"
                 " \"fill\": {\"normal\": [0, 1]}},"
                 "\"k\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [1, 24, 16],"
                 " \"fill\": {\"normal\": [0, 1]}},"
                 "\"y\": {\"role\": \"output\", \"dtype\": \"f32\", \"shape\": [1, 20, 16]}},"
                 "\"graph\": [{\"op\": \"scaled_dot_product_attention\","
                 " \"in\": [\"q\", \"k\", \"k\"], \"out\": \"y\"}]");

    (void)state;
    assert_true(t.is_fair[VARIATION_OPPOSITE_COLUMNS] && t.is_fair[VARIATION_MOVED]);
    assert_false(t.is_tried[VARIATION_MOVED_COLUMNS]);
}

/*
 * Weights far below zero move the sums over inputs of one sign, of which one is chosen. Columns far
 * from zero leave weights alone: the halves of a sum would cancel.
 */
static void params_alone_put_results_far_from_zero(void **state)
{
    const struct tried t =
        tried_by("\"dims\": {\"M\": 16}, \"tensors\": {"
                 "\"x\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [16, 8],"
                 " \"fill\": {\"uniform\": [0, 1]}},"
                 "\"w\": {\"role\": \"param\", \"dtype\": \"f32\", \"shape\": [12, 8],"
                 " \"fill\": {\"normal\": [0, 1]}},"
                 "\"y\": {\"role\": \"output\", \"dtype\": \"f32\", \"shape\": [16]}},"
                 "\"graph\": [{\"op\": \"linear\", \"in\": [\"x\", \"w\"], \"out\": \"t\"},"
                 "{\"op\": \"min\", \"in\": [\"t\"], \"dim\": 1, \"out\": \"y\"}]",
                 NULL);

    (void)state;
    assert_true(t.is_fair[VARIATION_MOVED] && !t.is_tried[VARIATION_MOVED_COLUMNS]);
    assert_true(t.has_varied_params);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scores_of_attention_lie_far_below_zero),
        cmocka_unit_test(params_alone_put_results_far_from_zero),
        cmocka_unit_test(a_mask_leaves_data_fair),
        cmocka_unit_test(a_padding_leaves_data_fair),
        cmocka_unit_test(infinities_of_a_mask_leave_data_fair),
        cmocka_unit_test(sums_that_cancel_leave_data_fair),
        cmocka_unit_test(all_rows_are_tiny_where_they_are_joined),
        cmocka_unit_test(rows_are_tiny_where_products_are_summed),
        cmocka_unit_test(rows_move_where_nothing_is_a_moment),
        cmocka_unit_test(exponentials_are_not_moved_very_far),
        cmocka_unit_test(exponentials_lie_deep),
        cmocka_unit_test(what_keeps_its_bits_is_tried_near_zero),
        cmocka_unit_test(counts_of_comparisons_are_exact),
        cmocka_unit_test(ends_lie_along_what_is_counted),
        cmocka_unit_test(differences_of_least_elements_are_fair),
        cmocka_unit_test(a_case_of_few_rows_is_not_varied),
        cmocka_unit_test(ends_are_tried_where_sums_are_longest),
        cmocka_unit_test(losses_are_tried_near_zero),
        cmocka_unit_test(problems_without_a_graph_are_varied),
        cmocka_unit_test(tables_are_varied_unless_they_are_large),
    };

    return cmocka_run_group_tests_name("varied_data", tests, NULL, NULL);
}
