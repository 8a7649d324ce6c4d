#include "core/agent/builtin/plan/algebra/algebra_parts.h"

#include <string.h>

#include "core/base/json.h"

bool node_is(const struct rewriting *r, size_t node, const char *op)
{
    return node < r->nodes.count && r->nodes.items[node] && strcmp(node_op(r, node), op) == 0;
}

size_t node_of(const struct rewriting *r, const char *name)
{
    return name ? rewriting_maker(r, name) : r->nodes.count;
}

bool part_read(const struct rewriting *r, const char *name, struct part *part)
{
    size_t maker = node_of(r, name);
    const struct value *of;
    const struct json *node;

    if (!node_is(r, maker, "slice") || !node_operand(r, maker, 0))
        return false;
    node = r->nodes.items[maker];
    of = rewriting_value(r, node_operand(r, maker, 0));
    if (!of || json_get_number(node, "dim", 0) < 0 || json_get_number(node, "start", 0) < 0 ||
        json_get_number(node, "step", 1) != 1)
        return false;
    part->of = of->name;
    part->axis = (size_t)json_get_number(node, "dim", 0);
    part->start = (int64_t)json_get_number(node, "start", 0);
    part->end = (int64_t)json_get_number(node, "end", (double)of->shape.dims[part->axis]);
    return part->end > part->start && part->end <= of->shape.dims[part->axis];
}

bool node_is_reshape(const struct rewriting *r, size_t node)
{
    return node_is(r, node, "reshape") || node_is(r, node, "unsqueeze") ||
           node_is(r, node, "squeeze");
}

const char *before_reshapes(const struct rewriting *r, const char *name)
{
    size_t maker = node_of(r, name);

    while (node_is_reshape(r, maker)) {
        name = node_operand(r, maker, 0);
        maker = node_of(r, name);
    }
    return name;
}

bool part_read_step(const struct rewriting *r, const char *name, struct part *step)
{
    const struct value *value = name ? rewriting_value(r, name) : NULL, *of;

    if (!value || value->shape.rank != STEP_RANK - 1 ||
        !part_read(r, before_reshapes(r, name), step))
        return false;
    of = rewriting_value(r, step->of);
    return of->shape.rank == STEP_RANK && step->axis < STEP_RANK - 1 &&
           step->end == step->start + 1 &&
           value->shape.dims[0] == of->shape.dims[step->axis == TIME_AXIS ? 1 : TIME_AXIS] &&
           value->shape.dims[1] == of->shape.dims[STEP_RANK - 1];
}

const char *node_operand_name(const struct rewriting *r, size_t node, size_t number)
{
    bool is_there = number < json_count(json_get(r->nodes.items[node], "in"));
    const char *name = is_there ? node_operand(r, node, number) : NULL;
    const struct value *value = name ? rewriting_value(r, name) : NULL;

    return value ? value->name : NULL;
}

bool is_same_name(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

bool part_is_beside(const struct part *a, const struct part *b)
{
    return strcmp(a->of, b->of) == 0 && a->axis == b->axis;
}

void part_put(struct json *slice, const struct part *part)
{
    json_put_number(slice, "dim", (double)part->axis);
    json_put_number(slice, "start", (double)part->start);
    json_put_number(slice, "end", (double)part->end);
}

const char *part_insert(struct rewriting *r, size_t at, const char *of, const struct part *part)
{
    struct json *made;
    const char *name = rewriting_insert(r, at, &(struct new_node){"slice", {of}}, &made);

    part_put(made, part);
    return name;
}

void node_set_operands(struct json *node, const char *const *names, size_t count)
{
    struct json *in = json_put(node, "in", json_array_new());

    for (size_t i = 0; i < count; i++)
        if (names[i])
            json_push(in, json_string_new(names[i]));
}

void node_take_step(struct rewriting *r, size_t node, const char *all, int64_t step)
{
    const struct value *out = rewriting_value(r, node_out(r, node));
    const struct part part = {NULL, TIME_AXIS, step, step + 1};
    const char *slice = part_insert(r, node, all, &part);
    struct json *made = json_object_new();

    json_put_string(made, "op", "reshape");
    node_set_operands(made, &slice, 1);
    json_put_string(made, "out", out->name);
    json_put_integers(made, "shape", out->shape.dims, out->shape.rank);
    rewriting_drop(r, node + 1);
    r->nodes.items[node + 1] = made;
}

void rewriting_drop_unread(struct rewriting *r)
{
    for (size_t i = r->nodes.count; i-- > 0;)
        if (r->nodes.items[i] && rewriting_uses(r, node_out(r, i)) == 0)
            rewriting_drop(r, i);
}
