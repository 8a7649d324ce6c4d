#include "core/agent/builtin/plan/algebra/algebra_rules.h"
#include "core/base/json.h"

/*
 * A softmax or a scan along another axis than the last one, of few long rows whose elements lie
 * apart, has a work-item for each row, or for some neighbouring ones, which goes from one element
 * to the next and leaves most of a GPU idle. With its axis as the last one, work-groups share the
 * rows, and neighbouring operations move the elements, or two transpositions do.
 */
struct lines_rule {
    const char *const *ops;
    int64_t least_length, most_rows, most_apart;
};

static const char *const shares[] = {"softmax", "log_softmax", NULL};
static const char *const scans[] = {"cumsum", "cumprod", "cummax", "logcumsumexp", NULL};
static const struct lines_rule lines_rules[] = {{shares, 128, 1 << 17, 64},
                                                {scans, 256, 1 << 14, INT64_MAX}};

/* True if the rule is for this call, with `apart` elements from one of a row to the next. */
static bool takes(const struct lines_rule *rule, const struct op_call *call, size_t axis,
                  int64_t apart)
{
    const struct shape *shape = &call->in[0]->shape;

    return op_is_one_of(call->op, rule->ops) && call->out->dtype == DTYPE_F32 &&
           shape->dims[axis] >= rule->least_length && apart <= rule->most_apart &&
           shape_elements(shape) / shape->dims[axis] <= rule->most_rows;
}

/* The axis of such an operation; false for other nodes. */
static bool find_axis(const struct rewriting *r, size_t node, size_t *axis)
{
    const struct op_call call = graph_call(&r->graph, node);
    const struct shape *shape = &call.in[0]->shape;
    int64_t apart = 1;

    if (!r->is_fixed || call.op->kind != OP_ROWWISE || shape->rank < 2)
        return false;
    *axis = (size_t)__builtin_ctz(call.op->axes(&call));
    for (size_t i = *axis + 1; i < shape->rank; i++)
        apart *= shape->dims[i];
    return *axis + 1 < shape->rank && (takes(&lines_rules[0], &call, *axis, apart) ||
                                       takes(&lines_rules[1], &call, *axis, apart));
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
