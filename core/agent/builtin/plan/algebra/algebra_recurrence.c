#include <string.h>

#include "core/agent/builtin/plan/algebra/algebra_parts.h"
#include "core/agent/builtin/plan/algebra/algebra_rules.h"
#include "core/base/array.h"
#include "core/base/json.h"
#include "core/base/vec.h"

/*
 * A recurrent layer whose steps are written one by one, as a loop over time in Python leaves them,
 * becomes one layer over all steps. Its function is tanh or relu, of linear(concat(x[t], hidden))
 * or of x[t] + linear(hidden). No step waits for the product of the input, so the whole of it is
 * computed before the layer; algebra_steps does so for the second form.
 */

enum { X, WEIGHT, BIAS };
enum { LEAST_STEPS = 3 };

/* A step of a recurrent layer. Names are borrowed from the graph. */
struct cell {
    size_t at, function; /* nodes: a layer over all steps can be inserted at the first one */
    struct part x;
    const char *hidden, *weight, *bias;
    bool is_sum, is_x_first;
};

/* Read a layer that one other node reads; false if the value is something else. */
static bool read_layer(const struct rewriting *r, const char *name, struct cell *cell,
                       const char **in)
{
    size_t layer = node_of(r, name);

    if (!node_is(r, layer, "linear") || rewriting_uses(r, name) != 1)
        return false;
    *in = node_operand_name(r, layer, X);
    cell->weight = node_operand_name(r, layer, WEIGHT);
    cell->bias = node_operand_name(r, layer, BIAS);
    return *in && cell->weight && rewriting_value(r, cell->weight)->role == TENSOR_PARAM;
}

/* Two operands, of which one is a step; the other is left in `other`. */
static bool read_pair(const struct rewriting *r, size_t node, struct cell *cell, const char **other)
{
    const char *first = node_operand_name(r, node, 0), *second = node_operand_name(r, node, 1);

    if (!first || !second || json_count(json_get(r->nodes.items[node], "in")) != 2)
        return false;
    cell->at = node;
    cell->is_x_first = part_read_step(r, first, &cell->x);
    *other = cell->is_x_first ? second : first;
    return cell->is_x_first || part_read_step(r, second, &cell->x);
}

static int64_t size_of(const struct rewriting *r, const char *name, size_t axis)
{
    return rewriting_value(r, name)->shape.dims[axis];
}

/* x[t] + linear(hidden) */
static bool read_sum(const struct rewriting *r, const char *name, struct cell *cell)
{
    size_t sum = node_of(r, name);
    const char *layer;

    cell->is_sum = true;
    return node_is(r, sum, "add") && rewriting_uses(r, name) == 1 &&
           read_pair(r, sum, cell, &layer) && read_layer(r, layer, cell, &cell->hidden) &&
           size_of(r, cell->x.of, STEP_RANK - 1) == size_of(r, cell->weight, 0) &&
           size_of(r, cell->weight, 0) == size_of(r, cell->weight, 1);
}

/* linear(concat(x[t], hidden)), or with the operands exchanged */
static bool read_concat(const struct rewriting *r, const char *name, struct cell *cell)
{
    const char *joined;
    size_t concat;

    cell->is_sum = false;
    if (!read_layer(r, name, cell, &joined))
        return false;
    concat = node_of(r, joined);
    return node_is(r, concat, "concat") && rewriting_uses(r, joined) == 1 &&
           json_get_number(r->nodes.items[concat], "dim", 0) == 1 &&
           read_pair(r, concat, cell, &cell->hidden) &&
           size_of(r, cell->weight, 0) + size_of(r, cell->x.of, STEP_RANK - 1) ==
               size_of(r, cell->weight, 1);
}

static bool read_cell(const struct rewriting *r, size_t function, struct cell *cell)
{
    const struct value *out;
    const char *in;

    *cell = (struct cell){.function = function};
    if (!node_is(r, function, "tanh") && !node_is(r, function, "relu"))
        return false;
    in = node_operand_name(r, function, 0);
    out = rewriting_value(r, node_out(r, function));
    return in && out->dtype == DTYPE_F32 && out->shape.rank == 2 &&
           (read_concat(r, in, cell) || read_sum(r, in, cell)) &&
           shape_equals(&rewriting_value(r, cell->hidden)->shape, &out->shape);
}

struct cells {
    struct cell *items;
    size_t count, capacity;
};

/* True if the cell is the layer's next step. */
static bool follows(const struct rewriting *r, const struct cell *last, const struct cell *cell)
{
    return strcmp(cell->hidden, node_out(r, last->function)) == 0 &&
           part_is_beside(&cell->x, &last->x) && cell->x.start == last->x.end &&
           is_same_name(cell->weight, last->weight) && is_same_name(cell->bias, last->bias) &&
           (cell->is_sum || cell->is_x_first == last->is_x_first) && cell->is_sum == last->is_sum &&
           strcmp(node_op(r, cell->function), node_op(r, last->function)) == 0;
}

/* Collect all steps from the one at the node on; false if it is not the first, or some are missing.
 */
static bool collect(const struct rewriting *r, size_t node, struct cells *cells)
{
    struct cell cell;

    if (!read_cell(r, node, &cell) || cell.x.start != 0)
        return false;
    vec_push(cells, cell);
    for (size_t i = node + 1; i < r->nodes.count; i++)
        if (read_cell(r, i, &cell) && follows(r, &cells->items[cells->count - 1], &cell))
            vec_push(cells, cell);
    cell = cells->items[cells->count - 1];
    return cells->count >= LEAST_STEPS &&
           cell.x.end == rewriting_value(r, cell.x.of)->shape.dims[cell.x.axis];
}

/* Insert what has the steps of x in order, if it is not x itself. */
static const char *insert_input(struct rewriting *r, size_t *at, const struct cell *cell)
{
    struct json *made;
    const char *name;

    if (cell->x.axis == TIME_AXIS)
        return cell->x.of;
    name = rewriting_insert(r, (*at)++, &(struct new_node){"transpose", {cell->x.of}}, &made);
    json_put_number(made, "dim0", 0);
    json_put_number(made, "dim1", 1);
    return name;
}

/* Insert the columns of the weight that multiply x, or the others. */
static const char *insert_columns(struct rewriting *r, size_t *at, const struct cell *cell,
                                  bool is_of_x)
{
    int64_t all = size_of(r, cell->weight, 1), inputs = size_of(r, cell->x.of, STEP_RANK - 1);
    int64_t count = is_of_x ? inputs : all - inputs;
    int64_t start = is_of_x == cell->is_x_first ? 0 : all - count;

    return part_insert(r, (*at)++, cell->weight, &(struct part){NULL, 1, start, start + count});
}

/* Insert the product of all steps' input with its part of the weight. */
static const char *insert_product(struct rewriting *r, size_t *at, const struct cell *cell,
                                  const char *input)
{
    const char *operands[] = {input, insert_columns(r, at, cell, true), cell->bias}, *made_name;
    struct json *made;

    made_name = rewriting_insert(r, (*at)++, &(struct new_node){"linear", {input}}, &made);
    node_set_operands(made, operands, COUNT(operands));
    return made_name;
}

/* Insert the layer over all steps. */
static const char *insert_layer(struct rewriting *r, const struct cell *cell)
{
    bool is_tanh = node_is(r, cell->function, "tanh");
    size_t at = cell->at;
    const char *input = insert_input(r, &at, cell), *weight = cell->weight, *all;
    struct json *made;

    if (!cell->is_sum) {
        input = insert_product(r, &at, cell, input);
        weight = insert_columns(r, &at, cell, false);
    }
    all = rewriting_insert(r, at, &(struct new_node){"rnn", {input}}, &made);
    node_set_operands(
        made, (const char *[]){input, weight, cell->hidden, cell->is_sum ? cell->bias : NULL}, 4);
    json_put_string(made, "nonlinearity", is_tanh ? "tanh" : "relu");
    return all;
}

/* Append what the nodes from `first` on are. */
static void describe(const struct rewriting *r, size_t first, size_t count, struct strbuf *text)
{
    for (size_t i = first; i < first + count; i++)
        if (r->nodes.items[i])
            node_describe(r, i, text);
}

/* From the last step on, so that insertions do not move the nodes that are still to be changed. */
static void join_cells(struct rewriting *r, const struct cells *cells, struct json *steps)
{
    const struct cell *first = cells->items;
    struct strbuf before = {0}, after = {0};
    size_t count = r->nodes.count, moved;
    const char *all;

    describe(r, first->at, first->function - first->at + 1, &before);
    strbuf_addf(&before, "; and %zu more steps", cells->count - 1);
    all = insert_layer(r, first);
    moved = r->nodes.count - count;
    describe(r, first->at, moved, &after);
    for (size_t i = cells->count; i-- > 0;)
        node_take_step(r, cells->items[i].function + moved, all, (int64_t)i);
    rewriting_drop_unread(r);
    algebra_push(steps, &before, &after);
    strbuf_release(&before);
    strbuf_release(&after);
}

static bool join_recurrence(struct rewriting *r, size_t node, struct json *steps)
{
    struct cells cells = {0};
    bool is_layer = collect(r, node, &cells);

    if (is_layer)
        join_cells(r, &cells, steps);
    vec_release(&cells);
    return is_layer;
}

bool algebra_recurrence(struct rewriting *r, struct json *steps)
{
    for (size_t i = 0; r->is_fixed && i < r->nodes.count; i++)
        if (r->nodes.items[i] && join_recurrence(r, i, steps))
            return true;
    return false;
}
