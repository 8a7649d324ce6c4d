#include <string.h>

#include "core/agent/builtin/plan/algebra/algebra_rules.h"
#include "core/agent/builtin/plan/family.h"
#include "core/base/array.h"
#include "core/base/json.h"
#include "core/base/vec.h"

/*
 * Removes views at the ends of the graph. A plan names buffers, and the shape of a buffer matters
 * only to the operations that read it. So an input that is only read in another shape is declared
 * in that shape, and so is an output that is stored in another one; the view itself then needs no
 * kernel. A view that has the shape of its operand needs none either.
 *
 * Networks that add to a list of values and concatenate it after each layer copy all of the list
 * each time. A list that continues an earlier one begins with the earlier result.
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

/* True if the shape of a tensor is not the one that the graph was read with any more. */
static bool is_redeclared(const struct rewriting *r, const char *name)
{
    for (size_t i = 0; i < r->declared.count; i++)
        if (strcmp(r->declared.items[i].name, name) == 0)
            return true;
    return false;
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

    if (!is_tensor(rewriting_value(r, in)) || out->role == TENSOR_OUTPUT ||
        rewriting_uses(r, in) != 1)
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
    const struct value *value = rewriting_value(r, in), *result = rewriting_value(r, out);
    size_t maker;

    if (value->role != TENSOR_INNER || result->role != TENSOR_OUTPUT ||
        value->dtype != result->dtype || rewriting_uses(r, in) != 1 || rewriting_uses(r, out) != 1)
        return false;
    maker = rewriting_maker(r, in);
    if (maker == r->nodes.count)
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

        if (!r->nodes.items[i] || !is_view(r, i) || !node_operand(r, i, 0) ||
            is_redeclared(r, node_operand(r, i, 0)))
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

/* A concatenation, and its operands with those of operands that are concatenations themselves. */
struct concat {
    size_t node;
    double axis;
    struct {
        const char **items; /* borrowed from the graph; NULL for numbers */
        size_t count, capacity;
    } parts;
};

struct concats {
    struct concat *items;
    size_t count, capacity;
};

/* The concatenation that computes a value; NULL if none does. */
static const struct concat *concat_of(const struct rewriting *r, const struct concats *all,
                                      const char *name)
{
    for (size_t i = 0; name && i < all->count; i++)
        if (strcmp(node_out(r, all->items[i].node), name) == 0)
            return &all->items[i];
    return NULL;
}

static const char *name_of(const struct rewriting *r, const struct json *operand)
{
    const char *name = json_string(operand, NULL);
    const struct value *value = name ? rewriting_value(r, name) : NULL;

    return value ? value->name : NULL;
}

static struct concat read_concat(const struct rewriting *r, const struct concats *before,
                                 size_t node)
{
    const struct json *in = json_first(json_get(r->nodes.items[node], "in"));
    struct concat concat = {node, json_get_number(r->nodes.items[node], "dim", 0), {0}};

    for (; in; in = json_next(in)) {
        const struct concat *inner = concat_of(r, before, json_string(in, NULL));

        if (!inner || inner->axis != concat.axis)
            vec_push(&concat.parts, name_of(r, in));
        for (size_t i = 0; inner && inner->axis == concat.axis && i < inner->parts.count; i++)
            vec_push(&concat.parts, inner->parts.items[i]);
    }
    return concat;
}

static bool begins_with(const struct concat *all, const struct concat *first)
{
    if (first->axis != all->axis || first->parts.count >= all->parts.count || !all->parts.items)
        return false;
    for (size_t i = 0; i < first->parts.count; i++)
        if (!all->parts.items[i] || !first->parts.items[i] ||
            strcmp(all->parts.items[i], first->parts.items[i]) != 0)
            return false;
    return true;
}

/* The earlier concatenation with the most parts with which this one begins; or NULL. */
static const struct concat *find_beginning(const struct concats *before,
                                           const struct concat *concat)
{
    const struct concat *found = NULL;

    for (size_t i = 0; i < before->count; i++)
        if (begins_with(concat, &before->items[i]) &&
            (!found || before->items[i].parts.count > found->parts.count))
            found = &before->items[i];
    return found;
}

/* Let a concatenation begin with the result of an earlier one. */
static bool continue_concat(struct rewriting *r, const struct concat *concat,
                            const struct concat *beginning, struct json *steps)
{
    enum { MOST_NEW = 7 }; /* a concatenation has eight operands at most */
    size_t first = beginning->parts.count;
    struct strbuf before = {0}, after = {0};
    struct json *in;

    if (concat->parts.count - first > MOST_NEW ||
        strcmp(node_operand(r, concat->node, 0), node_out(r, beginning->node)) == 0)
        return false;
    in = json_array_new();
    node_describe(r, concat->node, &before);
    json_push(in, json_string_new(node_out(r, beginning->node)));
    for (size_t i = first; i < concat->parts.count; i++)
        json_push(in, json_string_new(concat->parts.items[i]));
    json_put(r->nodes.items[concat->node], "in", in);
    node_describe(r, concat->node, &after);
    algebra_push(steps, &before, &after);
    strbuf_release(&before);
    strbuf_release(&after);
    return true;
}

static void drop_unread(struct rewriting *r, const struct concats *all)
{
    for (size_t i = all->count; i-- > 0;)
        if (rewriting_uses(r, node_out(r, all->items[i].node)) == 0)
            rewriting_drop(r, all->items[i].node);
}

bool algebra_concats(struct rewriting *r, struct json *steps)
{
    struct concats all = {0};
    bool is_any = false;

    for (size_t i = 0; i < r->nodes.count; i++) {
        const struct concat *beginning;
        struct concat concat;

        if (!r->nodes.items[i] || strcmp(node_op(r, i), "concat") != 0)
            continue;
        concat = read_concat(r, &all, i);
        beginning = find_beginning(&all, &concat);
        is_any |= beginning && continue_concat(r, &concat, beginning, steps);
        vec_push(&all, concat);
    }
    if (is_any)
        drop_unread(r, &all);
    for (size_t i = 0; i < all.count; i++)
        vec_release(&all.items[i].parts);
    vec_release(&all);
    return is_any;
}
