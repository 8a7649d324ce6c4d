#include <string.h>

#include "core/agent/builtin/plan/algebra/algebra_rules.h"
#include "core/agent/builtin/plan/family.h"
#include "core/base/json.h"

/*
 * Layers that read the same rows, with weights that are slices of one param, as attention has them
 * for queries, keys and values, become one layer with the whole param; its columns are sliced. So
 * the rows are converted once, the param is not copied, and the product has more tiles.
 */

enum { X, WEIGHT, BIAS };

/* A slice of the first axis of a param. */
struct slice {
    const char *of; /* borrowed from the graph */
    int64_t start, end;
};

/* False if the value is something else. */
static bool read_slice(const struct rewriting *r, const char *name, struct slice *slice)
{
    size_t maker = name ? rewriting_maker(r, name) : r->nodes.count;
    const struct value *whole, *part;

    if (maker == r->nodes.count || strcmp(node_op(r, maker), "slice") != 0)
        return false;
    whole = rewriting_value(r, node_operand(r, maker, 0));
    part = rewriting_value(r, name);
    if (!whole || !part || whole->role != TENSOR_PARAM ||
        json_get_number(r->nodes.items[maker], "dim", 0) != 0 ||
        json_get_number(r->nodes.items[maker], "step", 1) != 1)
        return false;
    slice->of = whole->name;
    slice->start = (int64_t)json_get_number(r->nodes.items[maker], "start", 0);
    slice->end = slice->start + part->shape.dims[0];
    return true;
}

/* A layer whose weight is a slice, with a slice of another param at the same place as its bias. */
struct sliced_layer {
    const char *x;
    struct slice weight, bias;
};

static bool read_layer(const struct rewriting *r, size_t node, struct sliced_layer *layer)
{
    const struct value *x;

    *layer = (struct sliced_layer){0};
    if (!r->nodes.items[node] || strcmp(node_op(r, node), "linear") != 0 ||
        !node_operand(r, node, X))
        return false;
    x = rewriting_value(r, node_operand(r, node, X));
    if (!x || !read_slice(r, node_operand(r, node, WEIGHT), &layer->weight))
        return false;
    layer->x = x->name;
    if (json_count(json_get(r->nodes.items[node], "in")) <= BIAS)
        return true;
    return read_slice(r, node_operand(r, node, BIAS), &layer->bias) &&
           layer->bias.start == layer->weight.start && layer->bias.end == layer->weight.end;
}

static bool is_beside(const struct sliced_layer *a, const struct sliced_layer *b)
{
    return strcmp(a->x, b->x) == 0 && strcmp(a->weight.of, b->weight.of) == 0 &&
           !a->bias.of == !b->bias.of && (!a->bias.of || strcmp(a->bias.of, b->bias.of) == 0);
}

/* True if operations that copy in any case read the result, so that its slice is no kernel. */
static bool is_moved(const struct rewriting *r, size_t node)
{
    const struct value *out = rewriting_value(r, node_out(r, node));
    bool is_read = false;

    for (size_t i = 0; i < r->nodes.count; i++)
        for (size_t k = 0; r->nodes.items[i] && k < json_count(json_get(r->nodes.items[i], "in"));
             k++) {
            const char *in = node_operand(r, i, k);

            if (!in || strcmp(in, out->name) != 0)
                continue;
            is_read = true;
            if (graph_call(&r->graph, i).op->kind != OP_MOVEMENT)
                return false;
        }
    return is_read && out->role == TENSOR_INNER;
}

/*
 * The rows of the param that layers beside the one at `node` use; 0 if one of them is before it, or
 * must stay as it is. No rows may be used twice.
 */
static int64_t used_rows(const struct rewriting *r, size_t node)
{
    struct sliced_layer first, other;
    int64_t rows = 0, next = 0;

    if (!read_layer(r, node, &first))
        return 0;
    for (size_t i = 0; i < r->nodes.count; i++) {
        if (!read_layer(r, i, &other) || !is_beside(&first, &other))
            continue;
        if (i < node || !is_moved(r, i) || other.weight.start != next)
            return 0;
        next = other.weight.end;
        rows += other.weight.end - other.weight.start;
    }
    return rows;
}

/* Let the node slice the columns of `whole` instead. */
static void slice_columns(struct rewriting *r, size_t node, const char *whole)
{
    const struct value *out = rewriting_value(r, node_out(r, node));
    struct json *made = json_object_new(), *in = json_put(made, "in", json_array_new());
    struct sliced_layer layer;

    if (!read_layer(r, node, &layer)) /* it was one when it was counted */
        return;
    json_put_string(made, "op", "slice");
    json_push(in, json_string_new(whole));
    json_put_string(made, "out", out->name);
    json_put_number(made, "dim", (double)out->shape.rank - 1);
    json_put_number(made, "start", (double)layer.weight.start);
    json_put_number(made, "end", (double)layer.weight.end);
    rewriting_drop(r, node);
    r->nodes.items[node] = made;
}

/* Drop slices of the layer's params that nothing reads any more. */
static void drop_unread(struct rewriting *r, const struct sliced_layer *layer)
{
    struct slice slice;

    for (size_t i = 0; i < r->nodes.count; i++)
        if (r->nodes.items[i] && read_slice(r, node_out(r, i), &slice) &&
            (strcmp(slice.of, layer->weight.of) == 0 ||
             (layer->bias.of && strcmp(slice.of, layer->bias.of) == 0)) &&
            rewriting_uses(r, node_out(r, i)) == 0)
            rewriting_drop(r, i);
}

static bool join_layers(struct rewriting *r, size_t node)
{
    struct sliced_layer first, other;
    struct json *made, *in;
    const char *whole;
    int64_t rows =
        read_layer(r, node, &first) ? rewriting_value(r, first.weight.of)->shape.dims[0] : 0;

    if (!r->is_fixed || !rows || first.weight.end == rows || used_rows(r, node) != rows)
        return false;
    const char *const operands[] = {first.x, first.weight.of, first.bias.of};
    whole = rewriting_insert(r, node, &(struct new_node){"linear", {first.x}}, &made);
    in = json_put(made, "in", json_array_new());
    for (size_t i = 0; i <= BIAS && operands[i]; i++)
        json_push(in, json_string_new(operands[i]));
    for (size_t i = node + 1; i < r->nodes.count; i++)
        if (read_layer(r, i, &other) && is_beside(&first, &other))
            slice_columns(r, i, whole);
    drop_unread(r, &first);
    return true;
}

bool algebra_slices(struct rewriting *r, struct json *steps)
{
    return algebra_rewrite_nodes(r, join_layers, steps);
}
