#include <string.h>

#include "core/agent/builtin/plan/algebra/algebra_parts.h"
#include "core/agent/builtin/plan/algebra/algebra_rules.h"
#include "core/base/array.h"
#include "core/base/json.h"
#include "core/base/vec.h"

/*
 * Layers that read the steps of one tensor one by one with the same weight become one layer that
 * reads the tensor. Concatenations of neighbouring slices become a slice, or the tensor, and those
 * of steps along the second axis its transpose.
 */

enum { X, WEIGHT, BIAS };
enum { LEAST_STEPS = 3 };

/* A layer of a step of a tensor. */
static bool read_layer(const struct rewriting *r, size_t node, struct part *step)
{
    const char *weight = node_is(r, node, "linear") ? node_operand_name(r, node, WEIGHT) : NULL;

    return weight && rewriting_value(r, weight)->role == TENSOR_PARAM &&
           part_read_step(r, node_operand_name(r, node, X), step) && step->axis == TIME_AXIS;
}

/* True if the node is the same layer of another step. */
static bool is_beside(const struct rewriting *r, size_t node, size_t first, const struct part *step)
{
    struct part own;

    return read_layer(r, node, &own) && part_is_beside(&own, step) &&
           is_same_name(node_operand_name(r, node, WEIGHT), node_operand_name(r, first, WEIGHT)) &&
           is_same_name(node_operand_name(r, node, BIAS), node_operand_name(r, first, BIAS));
}

/* The number of the layers if they read all steps in order; else 0. */
static int64_t count_layers(const struct rewriting *r, size_t first, const struct part *step)
{
    int64_t count = 0;
    struct part own;

    for (size_t i = first; i < r->nodes.count; i++)
        if (is_beside(r, i, first, step)) {
            if (!read_layer(r, i, &own) || own.start != count)
                return 0;
            count++;
        }
    return count == rewriting_value(r, step->of)->shape.dims[TIME_AXIS] && count >= LEAST_STEPS
               ? count
               : 0;
}

static bool join_layers(struct rewriting *r, size_t node, struct json *steps)
{
    struct part step;
    int64_t left = read_layer(r, node, &step) ? count_layers(r, node, &step) : 0;
    struct strbuf before = {0}, after = {0};
    const char *all;
    struct json *made;

    if (left == 0)
        return false;
    const char *const operands[] = {step.of, node_operand_name(r, node, WEIGHT),
                                    node_operand_name(r, node, BIAS)};
    node_describe(r, node, &before);
    strbuf_addf(&before, "; and %lld more steps", (long long)left - 1);
    all = rewriting_insert(r, node, &(struct new_node){"linear", {step.of}}, &made);
    node_set_operands(made, operands, COUNT(operands));
    node_describe(r, node, &after);
    for (size_t i = r->nodes.count; i-- > node + 1;)
        if (is_beside(r, i, node, &step))
            node_take_step(r, i, all, --left);
    rewriting_drop_unread(r);
    algebra_push(steps, &before, &after);
    strbuf_release(&before);
    strbuf_release(&after);
    return true;
}

/* True if the value has the slice's first two axes exchanged, the first of which is a step. */
static bool is_turned_step(const struct shape *value, const struct shape *slice)
{
    return value->rank == STEP_RANK && slice->rank == STEP_RANK && slice->dims[TIME_AXIS] == 1 &&
           value->dims[1] == 1 && value->dims[0] == slice->dims[1] &&
           value->dims[2] == slice->dims[2];
}

/* The slice that the value shows, and whether its first two axes are exchanged. */
static const char *shown_slice(const struct rewriting *r, const char *name, bool *is_turned)
{
    size_t maker = node_of(r, name);
    const struct value *cut;

    *is_turned = node_is(r, maker, "transpose") &&
                 json_get_number(r->nodes.items[maker], "dim0", -1) == 0 &&
                 json_get_number(r->nodes.items[maker], "dim1", -1) == 1;
    if (*is_turned)
        return node_operand(r, maker, 0);
    name = before_reshapes(r, name);
    cut = name ? rewriting_value(r, name) : NULL;
    return cut ? cut->name : NULL;
}

/* A concatenation of neighbouring slices. */
struct neighbours {
    struct part whole;
    bool is_turned; /* their first two axes are exchanged */
};

static bool add_neighbour(const struct rewriting *r, const char *name, size_t axis,
                          struct neighbours *all)
{
    bool is_turned = false;
    const char *slice = name ? shown_slice(r, name, &is_turned) : NULL;
    const struct value *cut = slice ? rewriting_value(r, slice) : NULL;
    const struct shape *shape = name ? &rewriting_value(r, name)->shape : NULL;
    struct part *whole = &all->whole, part;

    if (!slice || !part_read(r, slice, &part))
        return false;
    is_turned |= cut && axis == 1 && is_turned_step(shape, &cut->shape);
    if ((!is_turned && !(cut && shape_equals(shape, &cut->shape))) ||
        (is_turned && (axis != 1 || shape->rank != STEP_RANK)) ||
        part.axis != (is_turned ? TIME_AXIS : axis) ||
        (whole->of && (!part_is_beside(&part, whole) || part.start != whole->end ||
                       is_turned != all->is_turned)))
        return false;
    part.start = whole->of ? whole->start : part.start;
    *all = (struct neighbours){part, is_turned};
    return true;
}

static bool is_whole(const struct rewriting *r, const struct part *part)
{
    return part->start == 0 && part->end == rewriting_value(r, part->of)->shape.dims[part->axis];
}

static bool read_neighbours(const struct rewriting *r, size_t node, struct neighbours *all)
{
    size_t count = json_count(json_get(r->nodes.items[node], "in"));
    double axis = json_get_number(r->nodes.items[node], "dim", 0);

    *all = (struct neighbours){0};
    if (!node_is(r, node, "concat") || axis < 0 || count < 2)
        return false;
    for (size_t i = 0; i < count; i++)
        if (!add_neighbour(r, node_operand_name(r, node, i), (size_t)axis, all))
            return false;
    return true;
}

/* The operation that the concatenation becomes; it owns nothing of the old one. */
static struct json *joined_slices(struct rewriting *r, size_t node, const struct neighbours *all,
                                  const struct value *out)
{
    bool is_all = is_whole(r, &all->whole);
    const char *of = all->whole.of;
    struct json *made = json_object_new();

    if (all->is_turned && !is_all)
        of = part_insert(r, node, of, &all->whole);
    json_put_string(made, "op", all->is_turned ? "transpose" : is_all ? "reshape" : "slice");
    node_set_operands(made, &of, 1);
    json_put_string(made, "out", out->name);
    if (all->is_turned) {
        json_put_number(made, "dim0", 0);
        json_put_number(made, "dim1", 1);
    } else if (is_all) {
        json_put_integers(made, "shape", out->shape.dims, out->shape.rank);
    } else {
        part_put(made, &all->whole);
    }
    return made;
}

static bool join_slices(struct rewriting *r, size_t node)
{
    size_t count = r->nodes.count;
    struct neighbours all;
    struct json *made;

    if (!read_neighbours(r, node, &all))
        return false;
    made = joined_slices(r, node, &all, rewriting_value(r, node_out(r, node)));
    node += r->nodes.count - count;
    rewriting_drop(r, node);
    r->nodes.items[node] = made;
    return true;
}

bool algebra_steps(struct rewriting *r, struct json *steps)
{
    for (size_t i = 0; r->is_fixed && i < r->nodes.count; i++)
        if (r->nodes.items[i] && join_layers(r, i, steps))
            return true;
    if (!r->is_fixed || !algebra_rewrite_nodes(r, join_slices, steps))
        return false;
    rewriting_drop_unread(r);
    return true;
}
