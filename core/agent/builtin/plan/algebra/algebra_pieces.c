#include <string.h>

#include "core/agent/builtin/plan/algebra/algebra_rules.h"
#include "core/base/json.h"
#include "core/base/vec.h"
#include "core/codegen/writer.h"

/*
 * Reads a part of a concatenation from the operand that has it. Real and imaginary parts, and what
 * is split again, then need no memory of their own.
 */

/* A slice with a step of 1, and the operand of a concatenation that has all of it. */
struct piece {
    size_t node, concat;
    const char *from;                 /* borrowed from the graph */
    int64_t axis, begin, count, size; /* the elements along the axis; of the operand */
};

/* Find the operand that has the slice; false if parts of the slice come from several. */
static bool find_operand(const struct rewriting *r, struct piece *p)
{
    const struct json *in = json_first(json_get(r->nodes.items[p->concat], "in"));

    for (; in && p->begin >= 0; in = json_next(in)) {
        const char *name = json_string(in, NULL);
        const struct value *value = name ? rewriting_value(r, name) : NULL;

        if (!value)
            return false;
        p->from = value->name;
        p->size = value->shape.dims[p->axis];
        if (p->begin + p->count <= p->size)
            return true;
        p->begin -= p->size;
    }
    return false;
}

static bool read_piece(const struct rewriting *r, size_t node, struct piece *p)
{
    const struct json *slice = r->nodes.items[node];
    struct op_call call, concat;

    if (!slice || strcmp(node_op(r, node), "slice") != 0 || !node_operand(r, node, 0) ||
        json_get_number(slice, "step", 1) != 1)
        return false;
    p->node = node;
    p->concat = rewriting_maker(r, node_operand(r, node, 0));
    if (p->concat == r->nodes.count || strcmp(node_op(r, p->concat), "concat") != 0)
        return false;
    call = graph_call(&r->graph, node);
    concat = graph_call(&r->graph, p->concat);
    p->axis = (int64_t)call_axis(&call, "dim", 0);
    p->begin = (int64_t)json_get_number(slice, "start", 0);
    if (p->begin < 0)
        p->begin += concat.out->shape.dims[p->axis];
    p->count = call.out->shape.dims[p->axis];
    return p->axis == (int64_t)call_axis(&concat, "dim", 0) && find_operand(r, p);
}

/* The operations that nothing needs when the slice does not read the concatenation. */
struct unread {
    size_t *items;
    size_t count, capacity;
};

/* The number of operands of the unread operations that are this value. */
static size_t uses_by(const struct rewriting *r, const struct unread *nodes, const char *name)
{
    size_t uses = 0;

    for (size_t i = 0; i < nodes->count; i++) {
        const struct json *in = json_first(json_get(r->nodes.items[nodes->items[i]], "in"));

        for (; in; in = json_next(in))
            uses += strcmp(json_string(in, ""), name) == 0;
    }
    return uses;
}

static bool is_unread(const struct unread *nodes, size_t node)
{
    for (size_t i = 0; i < nodes->count; i++)
        if (nodes->items[i] == node)
            return true;
    return false;
}

/* Find the operations; false if nothing would need a tensor of the problem any more. */
static bool find_unread(const struct rewriting *r, const struct piece *p, struct unread *nodes)
{
    vec_push(nodes, p->concat);
    for (size_t i = 0; i < nodes->count; i++) {
        const struct json *in = json_first(json_get(r->nodes.items[nodes->items[i]], "in"));

        for (; in; in = json_next(in)) {
            const char *name = json_string(in, NULL);
            size_t maker;

            if (!name || strcmp(name, p->from) == 0 ||
                rewriting_uses(r, name) > uses_by(r, nodes, name))
                continue;
            maker = rewriting_maker(r, name);
            if (maker == r->nodes.count)
                return false;
            if (!is_unread(nodes, maker))
                vec_push(nodes, maker);
        }
    }
    return true;
}

static void change_slice(struct rewriting *r, const struct piece *p)
{
    if (p->count == p->size && rewriting_value(r, node_out(r, p->node))->role == TENSOR_INNER) {
        rewriting_replace(r, node_out(r, p->node), p->from);
        rewriting_drop(r, p->node);
        return;
    }
    node_set_operand(r, p->node, 0, json_string_new(p->from));
    json_put_number(r->nodes.items[p->node], "start", (double)p->begin);
    json_put_number(r->nodes.items[p->node], "end", (double)(p->begin + p->count));
}

static bool read_operand(struct rewriting *r, size_t node)
{
    struct unread unread = {0};
    struct piece p;
    bool can_change;

    if (!read_piece(r, node, &p))
        return false;
    can_change = rewriting_uses(r, node_out(r, p.concat)) > 1 || find_unread(r, &p, &unread);
    if (can_change) {
        change_slice(r, &p);
        for (size_t i = 0; i < unread.count; i++)
            if (r->nodes.items[unread.items[i]])
                rewriting_drop(r, unread.items[i]);
    }
    vec_release(&unread);
    return can_change;
}

bool algebra_pieces(struct rewriting *r, struct json *steps)
{
    bool is_any = false;

    for (size_t i = 0; r->is_fixed && i < r->nodes.count; i++) {
        struct strbuf before = {0}, after = {0};

        if (!r->nodes.items[i])
            continue;
        node_describe(r, i, &before);
        if (read_operand(r, i)) {
            strbuf_adds(&after, "an operand of the concatenation");
            algebra_push(steps, &before, &after);
            is_any = true;
        }
        strbuf_release(&before);
        strbuf_release(&after);
    }
    return is_any;
}
