#include <string.h>

#include "core/agent/builtin/plan/algebra_rules.h"
#include "core/agent/builtin/plan/family.h"
#include "core/base/array.h"
#include "core/base/json.h"

/*
 * Removes views at the ends of the graph. A plan names buffers, and the shape of a buffer matters
 * only to the operations that read it. So an input that is only read in another shape is declared
 * in that shape, and so is an output that is stored in another one; the view itself then needs no
 * kernel. A view that has the shape of its operand needs none either.
 */

/* True if the result has the operand's elements in the same order. */
static bool is_view(const struct rewriting *r, size_t node)
{
    static const char *const views[] = {"reshape", "squeeze", "unsqueeze", "flatten"};
    const struct op_call call = graph_call(&r->graph, node);
    size_t axes[SHAPE_MAX_RANK] = {0};
    bool is_same = family_permutation(&call, axes);

    for (size_t i = 0; i < COUNT(views); i++)
        if (strcmp(node_op(r, node), views[i]) == 0)
            return true;
    for (size_t axis = 0; is_same && axis < call.out->shape.rank; axis++)
        is_same = axes[axis] == axis;
    return is_same;
}

/* True if the value is declared by the problem. */
static bool is_tensor(const struct value *value)
{
    return value && (value->role == TENSOR_INPUT || value->role == TENSOR_PARAM);
}

/* Read the operand of an earlier view instead of the view. */
static bool shorten(struct rewriting *r, size_t node)
{
    size_t maker = rewriting_maker(r, node_operand(r, node, 0));
    bool is_reshape = strcmp(node_op(r, node), "reshape") == 0;

    if (!is_reshape || maker == r->nodes.count || !is_view(r, maker) ||
        rewriting_uses(r, node_out(r, maker)) != 1)
        return false;
    node_set_operand(r, node, 0, json_string_new(node_operand(r, maker, 0)));
    rewriting_drop(r, maker);
    return true;
}

/* Declare the tensor that the view reads in the shape of the view. */
static bool move_to_input(struct rewriting *r, size_t node)
{
    const char *in = node_operand(r, node, 0);
    const struct value *out = rewriting_value(r, node_out(r, node));

    if (!is_tensor(rewriting_value(r, in)) || rewriting_uses(r, in) != 1 ||
        out->role == TENSOR_OUTPUT)
        return false;
    rewriting_declare(r, in, &out->shape);
    rewriting_replace(r, node_out(r, node), in);
    rewriting_drop(r, node);
    return true;
}

/* Let the operation before the view store the output. */
static bool move_to_output(struct rewriting *r, size_t node)
{
    const char *in = node_operand(r, node, 0), *out = node_out(r, node);
    size_t maker = rewriting_maker(r, in);
    const struct value *value = rewriting_value(r, in), *result = rewriting_value(r, out);

    if (maker == r->nodes.count || value->role != TENSOR_INNER || rewriting_uses(r, in) != 1 ||
        result->role != TENSOR_OUTPUT || rewriting_uses(r, out) != 1 ||
        value->dtype != result->dtype)
        return false;
    rewriting_declare(r, out, &value->shape);
    node_set_out(r, maker, out);
    rewriting_drop(r, node);
    return true;
}

/* Read the operand of a view that has its shape. */
static bool drop_same(struct rewriting *r, size_t node)
{
    const char *in = node_operand(r, node, 0), *out = node_out(r, node);
    const struct value *value = rewriting_value(r, in), *result = rewriting_value(r, out);

    if (result->role != TENSOR_INNER || value->dtype != result->dtype ||
        !shape_equals(&value->shape, &result->shape))
        return false;
    rewriting_replace(r, out, in);
    rewriting_drop(r, node);
    return true;
}

bool algebra_views(struct rewriting *r, struct json *steps)
{
    bool is_any = false;

    for (size_t i = 0; r->is_fixed && i < r->nodes.count; i++) {
        struct strbuf before = {0}, after = {0};

        if (!r->nodes.items[i] || !is_view(r, i) || !node_operand(r, i, 0))
            continue;
        node_describe(r, i, &before);
        if (shorten(r, i) || drop_same(r, i) || move_to_input(r, i) || move_to_output(r, i)) {
            strbuf_adds(&after, "another shape of the same memory");
            algebra_push(steps, &before, &after);
            is_any = true;
        }
        strbuf_release(&before);
        strbuf_release(&after);
    }
    return is_any;
}
