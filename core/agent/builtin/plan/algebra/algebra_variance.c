#include <string.h>

#include "core/agent/builtin/plan/algebra/algebra_rules.h"
#include "core/agent/builtin/plan/fusion_epilogue.h"
#include "core/base/json.h"

/*
 * Finds variances that are written as the mean of squared differences from the mean. A variance
 * reads its operand together with the mean, while the differences would be stored and read again.
 * This counts for reductions that run in slices or stages, along long rows, or along the batch and
 * the last axes; and for those of the columns of a product, which its epilogue computes.
 */

static const int64_t long_row = 1 << 13, least_row = 64;

/* A mean of squares: the nodes of the squares, the differences and the mean that was subtracted. */
struct variance {
    size_t squares, differences, mean;
    const char *operand;
};

static bool is_op(const struct rewriting *r, size_t node, const char *op)
{
    return node < r->nodes.count && r->nodes.items[node] && strcmp(node_op(r, node), op) == 0;
}

static size_t maker_of(const struct rewriting *r, size_t node, size_t operand)
{
    const char *name = node_operand(r, node, operand);

    return name ? rewriting_maker(r, name) : r->nodes.count;
}

static bool is_square(const struct rewriting *r, size_t node)
{
    const char *first, *second;

    if (node == r->nodes.count)
        return false;
    first = node_operand(r, node, 0);
    second = node_operand(r, node, 1);
    if (is_op(r, node, "pow"))
        return first && !second && node_number(r, node, 1) == 2;
    return is_op(r, node, "mul") && first && second && strcmp(first, second) == 0;
}

/* True if the node is the mean of the operand along the same axes, which stay as axes of size 1. */
static bool is_mean_of(const struct rewriting *r, size_t node, const char *operand, unsigned axes)
{
    struct op_call call;

    if (!is_op(r, node, "mean") || !node_operand(r, node, 0) ||
        strcmp(node_operand(r, node, 0), operand) != 0)
        return false;
    call = graph_call(&r->graph, node);
    return call.out->shape.rank == call.in[0]->shape.rank && call.op->axes(&call) == axes;
}

/* True for long rows, and for the batch with the last axes. */
static bool has_stages(const struct shape *shape, unsigned axes)
{
    int64_t row = 1;
    size_t suffix = 0;

    while (suffix < shape->rank && axes >> (shape->rank - 1 - suffix) & 1)
        row *= shape->dims[shape->rank - 1 - suffix++];
    axes &= ~(((1U << suffix) - 1) << (shape->rank - suffix));
    return suffix && ((axes == 0 && row >= long_row) || (axes == 1 && row >= least_row));
}

static bool is_worthwhile(const struct rewriting *r, const struct variance *v,
                          const struct op_call *call)
{
    const size_t operand = r->graph.nodes.items[v->mean].in[0];
    unsigned axes = call->op->axes(call);

    return (r->is_fixed && has_stages(&call->in[0]->shape, axes)) ||
           (r->has_columns && axes == 1 && columns_of_product(&r->graph, operand));
}

static bool find(const struct rewriting *r, size_t node, struct variance *v)
{
    const struct op_call call = graph_call(&r->graph, node);
    unsigned axes;

    if (!is_op(r, node, "mean") || !node_operand(r, node, 0))
        return false;
    axes = call.op->axes(&call);
    v->squares = maker_of(r, node, 0);
    if (!is_square(r, v->squares) || rewriting_uses(r, node_out(r, v->squares)) != 1)
        return false;
    v->differences = maker_of(r, v->squares, 0);
    if (!is_op(r, v->differences, "sub") || !node_operand(r, v->differences, 0))
        return false;
    v->operand = node_operand(r, v->differences, 0);
    v->mean = maker_of(r, v->differences, 1);
    return is_mean_of(r, v->mean, v->operand, axes) && is_worthwhile(r, v, &call);
}

static bool rewrite_node(struct rewriting *r, size_t node)
{
    struct variance v;

    if (!find(r, node, &v))
        return false;
    json_put_string(r->nodes.items[node], "op", "var");
    json_put_number(r->nodes.items[node], "correction", 0);
    node_set_operand(r, node, 0, json_string_new(v.operand));
    rewriting_drop(r, v.squares);
    if (rewriting_uses(r, node_out(r, v.differences)) != 0)
        return true;
    rewriting_drop(r, v.differences);
    if (rewriting_uses(r, node_out(r, v.mean)) == 0)
        rewriting_drop(r, v.mean);
    return true;
}

static bool reads(const struct rewriting *r, size_t node, const char *name)
{
    for (size_t k = 0; k < json_count(json_get(r->nodes.items[node], "in")); k++)
        if (node_operand(r, node, k) && strcmp(node_operand(r, node, k), name) == 0)
            return true;
    return false;
}

/* Move the node to the place before the first one that reads it. */
static void move_to_reader(struct rewriting *r, size_t node)
{
    struct json *moved = r->nodes.items[node];
    const char *out = node_out(r, node);

    while (node + 1 < r->nodes.count && !reads(r, node + 1, out)) {
        r->nodes.items[node] = r->nodes.items[node + 1];
        r->nodes.items[++node] = moved;
    }
}

/*
 * Move the differences behind the variance, where operations that read both can share a kernel with
 * them.
 */
static void move_differences(struct rewriting *r, size_t variance)
{
    for (size_t i = variance; i-- > 0;)
        if (is_op(r, i, "sub") && node_operand(r, i, 0) &&
            strcmp(node_operand(r, i, 0), node_operand(r, variance, 0)) == 0 &&
            rewriting_uses(r, node_out(r, i)) > 0)
            move_to_reader(r, i);
}

bool algebra_variance(struct rewriting *r, struct json *steps)
{
    bool is_any = algebra_rewrite_nodes(r, rewrite_node, steps);

    for (size_t i = r->nodes.count; is_any && i-- > 0;)
        if (is_op(r, i, "var") && node_operand(r, i, 0))
            move_differences(r, i);
    return is_any;
}
