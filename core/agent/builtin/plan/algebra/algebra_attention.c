#include <string.h>

#include "core/agent/builtin/plan/algebra/algebra_parts.h"
#include "core/agent/builtin/plan/algebra/algebra_product.h"
#include "core/agent/builtin/plan/algebra/algebra_rules.h"
#include "core/agent/builtin/plan/family.h"
#include "core/base/json.h"
#include "core/model/op/op_attention.h"

/*
 * Rewrites attention to the form that has the fastest kernels. One with long rows becomes two
 * products and a softmax. Two products with a softmax between them become one operation where the
 * scores would take far longer to move than to compute.
 */

/*
 * Rows of queries, keys or values from this length on leave room for small tiles only. The scores
 * are stored if there are no more than this number.
 */
static const int64_t wide_row = 320, most_scores = INT64_C(1) << 30;

/* True for an attention that two products, with a softmax between them, compute faster. */
static bool is_long_attention(const struct rewriting *r, size_t node)
{
    struct attention a;
    struct op_call call;

    if (!r->is_fixed || strcmp(node_op(r, node), "scaled_dot_product_attention") != 0)
        return false;
    call = graph_call(&r->graph, node);
    if (call.in_count != 3 || !family_is_f32(&call))
        return false;
    a = attention_of(&call);
    return !a.is_causal && a.group == 1 && (a.width >= wide_row || a.out_width >= wide_row) &&
           a.heads * a.queries * a.keys <= most_scores;
}

/* Multiply queries and keys, apply the softmax to the scores, and multiply them by the values. */
static void split_attention(struct rewriting *r, size_t node)
{
    const struct op_call call = graph_call(&r->graph, node);
    const struct attention a = attention_of(&call);
    const struct new_node scores = {"matmul", {node_operand(r, node, 0), node_operand(r, node, 1)}};
    struct new_node next = {"mul", {NULL, NULL}};
    struct json *made, *last = json_object_new(), *in = json_put(last, "in", json_array_new());

    json_put_string(last, "op", "matmul");
    json_put_string(last, "out", node_out(r, node));
    next.in[0] = next.in[1] = rewriting_insert(r, node++, &scores, &made);
    json_put_bool(made, "transpose_b", true);
    next.in[0] = rewriting_insert(r, node, &next, &made);
    node_set_operand(r, node++, 1, json_number_new(a.scale));
    next.op = "softmax";
    next.in[1] = NULL;
    json_push(in, json_string_new(rewriting_insert(r, node++, &next, &made)));
    json_put_number(made, "dim", -1);
    json_push(in, json_string_new(node_operand(r, node, 2)));
    rewriting_drop(r, node);
    r->nodes.items[node] = last;
}

/*
 * Rows of at most this length, and scores that exceed the caches: tiles compute a score in less
 * time than it takes to store it, load and store it for the softmax, and load it again.
 */
static const int64_t short_row = 32, least_scores = INT64_C(1) << 26;

/* An attention that is written as products: its nodes, and what the scores are multiplied by. */
struct written {
    size_t softmax, scaling, scores; /* `scaling`: the number of nodes if there is none */
    double scale;
};

/*
 * The node that computes the value, if it is this operation and the value has one use; else the
 * number of nodes.
 */
static size_t maker_of(const struct rewriting *r, const char *value, const char *op)
{
    size_t maker = value ? rewriting_maker(r, value) : r->nodes.count;

    return node_is(r, maker, op) && rewriting_uses(r, value) == 1 ? maker : r->nodes.count;
}

/* Find the scores and their scale behind the operand of the softmax. */
static bool find_scores(const struct rewriting *r, struct written *w)
{
    const char *value = node_operand(r, w->softmax, 0);
    bool divides;

    w->scale = 1;
    w->scaling = maker_of(r, value, "mul");
    divides = w->scaling == r->nodes.count;
    if (divides)
        w->scaling = maker_of(r, value, "div");
    if (w->scaling < r->nodes.count) {
        if (node_operand(r, w->scaling, 1))
            return false;
        w->scale = node_number(r, w->scaling, 1);
        w->scale = divides ? 1 / w->scale : w->scale;
        value = node_operand(r, w->scaling, 0);
    }
    w->scores = maker_of(r, value, "matmul");
    return w->scores < r->nodes.count;
}

static bool softmaxes_rows(const struct rewriting *r, size_t node)
{
    const struct op_call call = graph_call(&r->graph, node);

    return call.op->axes(&call) == 1U << (call.in[0]->shape.rank - 1);
}

/* True if queries, keys and values have the same batch, in that order. */
static bool share_batch(const struct candidate_product *scores,
                        const struct candidate_product *result)
{
    const struct shape *q = &scores->call.in[0]->shape, *k = &scores->call.in[1]->shape,
                       *v = &result->call.in[1]->shape;

    if (k->rank != q->rank || v->rank != q->rank)
        return false;
    for (size_t i = 0; i + 2 < q->rank; i++)
        if (k->dims[i] != q->dims[i] || v->dims[i] != q->dims[i])
            return false;
    return true;
}

/* True if the node is the last product of a written attention that is faster as one operation. */
static bool is_written_attention(const struct rewriting *r, size_t node, struct written *w)
{
    struct candidate_product result, scores;

    if (!algebra_product_read(r, node, &result) || result.is_linear ||
        result.product.a_transposed || result.product.b_transposed)
        return false;
    w->softmax = maker_of(r, node_operand(r, node, 0), "softmax");
    if (w->softmax == r->nodes.count || !softmaxes_rows(r, w->softmax) || !find_scores(r, w) ||
        !algebra_product_read(r, w->scores, &scores))
        return false;
    return scores.product.b_transposed && !scores.product.a_transposed &&
           scores.product.k <= short_row && result.product.n <= short_row &&
           share_batch(&scores, &result) && shape_elements(&scores.call.out->shape) >= least_scores;
}

static void join_attention(struct rewriting *r, size_t node, const struct written *w)
{
    const char *const names[] = {node_operand(r, w->scores, 0), node_operand(r, w->scores, 1),
                                 node_operand(r, node, 1)};
    struct json *joined = json_object_new(), *in = json_put(joined, "in", json_array_new());

    json_put_string(joined, "op", "scaled_dot_product_attention");
    json_put_string(joined, "out", node_out(r, node));
    json_put_number(joined, "scale", w->scale);
    for (size_t i = 0; i < 3; i++)
        json_push(in, json_string_new(names[i]));
    rewriting_drop(r, w->softmax);
    if (w->scaling < r->nodes.count)
        rewriting_drop(r, w->scaling);
    rewriting_drop(r, w->scores);
    rewriting_drop(r, node);
    r->nodes.items[node] = joined;
}

static bool rewrite_node(struct rewriting *r, size_t node)
{
    struct written w;

    if (is_long_attention(r, node)) {
        split_attention(r, node);
        return true;
    }
    if (!is_written_attention(r, node, &w))
        return false;
    join_attention(r, node, &w);
    return true;
}

bool algebra_attention(struct rewriting *r, struct json *steps)
{
    return algebra_rewrite_nodes(r, rewrite_node, steps);
}
