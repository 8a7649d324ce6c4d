#include "core/agent/builtin/plan/algebra/algebra_rules.h"
#include "core/base/json.h"

/*
 * A softmax along another axis than the last one, of a few long rows whose elements lie apart, has
 * a work-item for each row in the plain kernel, which leaves most of a GPU idle. With its axis as
 * the last one, work-groups share the rows, and neighbouring operations move the elements.
 */
static const int64_t least_length = 128, most_rows = 1 << 17, most_apart = 64;

/* The axis of such a softmax; false for other nodes. */
static bool find_axis(const struct rewriting *r, size_t node, size_t *axis)
{
    static const char *const names[] = {"softmax", "log_softmax", NULL};
    const struct op_call call = graph_call(&r->graph, node);
    const struct shape *shape = &call.in[0]->shape;
    int64_t apart = 1;

    if (!r->is_fixed || !op_is_one_of(call.op, names) || shape->rank < 2)
        return false;
    *axis = (size_t)__builtin_ctz(call.op->axes(&call));
    for (size_t i = *axis + 1; i < shape->rank; i++)
        apart *= shape->dims[i];
    return *axis + 1 < shape->rank && shape->dims[*axis] >= least_length && apart <= most_apart &&
           shape_elements(shape) / shape->dims[*axis] <= most_rows;
}

static void set_axes(struct json *node, size_t axis, size_t last)
{
    json_put_number(node, "dim0", (double)axis);
    json_put_number(node, "dim1", (double)last);
}

static bool rewrite_node(struct rewriting *r, size_t node)
{
    struct json *made, *in, *own;
    const char *name;
    size_t axis, last;

    if (!find_axis(r, node, &axis))
        return false;
    last = graph_call(&r->graph, node).in[0]->shape.rank - 1;
    name = rewriting_insert(
        r, node, &(struct new_node){"transpose", {node_operand(r, node, 0), NULL}}, &made);
    set_axes(made, axis, last);
    name = rewriting_insert(r, node + 1, &(struct new_node){node_op(r, node + 1), {name, NULL}},
                            &made);
    json_put_number(made, "dim", (double)last);
    own = r->nodes.items[node + 2];
    in = json_array_new();
    json_push(in, json_string_new(name));
    json_put(own, "in", in);
    json_put_string(own, "op", "transpose");
    json_remove(own, "dim");
    set_axes(own, axis, last);
    return true;
}

bool algebra_lines(struct rewriting *r, struct json *steps)
{
    return algebra_rewrite_nodes(r, rewrite_node, steps);
}
