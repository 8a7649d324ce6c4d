#include <string.h>

#include "core/agent/builtin/plan/algebra/algebra_rules.h"
#include "core/agent/builtin/plan/family.h"
#include "core/agent/builtin/plan/fusion_epilogue.h"
#include "core/base/array.h"
#include "core/base/json.h"

/*
 * Splits reductions with few results into two stages. However long such a reduction is, it uses few
 * work-items of a GPU: the mean of each channel of a batch, of each column, or of a whole tensor.
 * It becomes two reductions, of which the first one has many results.
 */

static const int64_t least_elements = 1 << 16;
static const int64_t few_rows = 64;
/* the number of elements from which on few rows are split */
static const int64_t long_rows = 1 << 20;
static const int64_t few_columns = 1 << 17;
static const int64_t long_column = 512;
static const int64_t many_rows = 1024; /* results of the first stage */
static const int64_t least_row = 64;   /* elements of a row of the first stage */
static const int64_t most_parts = 256; /* maximum number of parts of a column */
/* the same for so few columns that more parts keep a GPU busy */
static const int64_t most_parts_of_few = 1024;
static const int64_t fewest_items = 1 << 15;
static const int64_t least_part = 8;
static const int64_t enough_items = 1 << 18; /* work-items of the first stage of columns */

/* A reduction to split. */
struct reduction {
    size_t node;
    const struct shape *shape; /* of the operand */
    unsigned axes;             /* as bits */
    size_t suffix;             /* the number of last axes that are all reduced */
    int64_t elements, results;
};

static bool has_stages(const char *op)
{
    static const char *const names[] = {"sum", "mean", "max", "min", "var"};

    for (size_t i = 0; i < COUNT(names); i++)
        if (strcmp(op, names[i]) == 0)
            return true;
    return false;
}

static bool read_reduction(const struct rewriting *r, size_t node, struct reduction *found)
{
    const struct op_call call = graph_call(&r->graph, node);

    if (!r->is_fixed || !has_stages(node_op(r, node)) || !node_operand(r, node, 0) ||
        !call.op->axes)
        return false;
    *found = (struct reduction){
        .node = node,
        .shape = &call.in[0]->shape,
        .axes = call.op->axes(&call),
        .elements = shape_elements(&call.in[0]->shape),
        .results = shape_elements(&call.out->shape),
    };
    if (r->has_columns && found->axes == 1 && columns_can_be(&call) &&
        columns_of_product(&r->graph, r->graph.nodes.items[node].in[0]))
        return false;
    if (r->has_batch && family_has_batch(&call))
        return false;
    while (found->suffix < found->shape->rank &&
           found->axes >> (found->shape->rank - 1 - found->suffix) & 1)
        found->suffix++;
    return found->elements >= least_elements && found->results < found->elements;
}

/* The number of elements in the last `count` axes. */
static int64_t row_of(const struct shape *shape, size_t count)
{
    int64_t elements = 1;

    for (size_t axis = shape->rank - count; axis < shape->rank; axis++)
        elements *= shape->dims[axis];
    return elements;
}

/* Axes of a reduction, and whether they stay as axes of size 1. */
struct axes_range {
    size_t first, count;
    bool keeps;
};

/* Insert the reduction `op` along `count` axes from `first` on before node `at`. */
static const char *insert_reduction(struct rewriting *r, size_t at, const char *op,
                                    const char *operand, const struct axes_range *range)
{
    const struct new_node new = {op, {operand, NULL}};
    int64_t axes[SHAPE_MAX_RANK];
    struct json *made;
    const char *name = rewriting_insert(r, at, &new, &made);

    for (size_t i = 0; i < range->count; i++)
        axes[i] = (int64_t)(range->first + i);
    json_put_integers(made, "dim", axes, range->count);
    json_put_bool(made, "keepdim", range->keeps);
    if (strcmp(op, "var") == 0)
        json_put_number(made, "correction", 0);
    return name;
}

static const char *insert_reshape(struct rewriting *r, size_t at, const char *operand,
                                  const struct shape *shape)
{
    const struct new_node new = {"reshape", {operand, NULL}};
    struct json *made;
    const char *name = rewriting_insert(r, at, &new, &made);

    json_put_integers(made, "shape", shape->dims, shape->rank);
    return name;
}

/* Reduce the last `count` axes first, then the others. */
static void split_axes(struct rewriting *r, const struct reduction *d, size_t count)
{
    const struct axes_range last = {d->shape->rank - count, count, true};
    const char *rows =
        insert_reduction(r, d->node, node_op(r, d->node), node_operand(r, d->node, 0), &last);

    node_set_operand(r, d->node + 1, 0, json_string_new(rows));
}

/* The largest power of two, up to `most`, that divides `size`. */
static int64_t parts_of(int64_t size, int64_t most)
{
    int64_t parts = 1;

    while (2 * parts <= most && size % (2 * parts) == 0)
        parts *= 2;
    return parts;
}

/* Reduce axis `axis` in parts: it becomes two axes, of which the second one is reduced first. */
static bool split_axis(struct rewriting *r, const struct reduction *d, size_t axis, int64_t most)
{
    struct shape shape = {.rank = d->shape->rank + 1};
    const struct axes_range inner = {axis + 1, 1, false};
    int64_t size = d->shape->dims[axis];
    int64_t parts = parts_of(size, size / least_part < most ? size / least_part : most);
    const char *name;

    if (parts < 8 || shape.rank > SHAPE_MAX_RANK)
        return false;
    for (size_t i = 0; i < d->shape->rank; i++)
        shape.dims[i + (i > axis)] = d->shape->dims[i];
    shape.dims[axis] = parts;
    shape.dims[axis + 1] = size / parts;
    name = insert_reshape(r, d->node, node_operand(r, d->node, 0), &shape);
    name = insert_reduction(r, d->node + 1, node_op(r, d->node + 1), name, &inner);
    node_set_operand(r, d->node + 2, 0, json_string_new(name));
    return true;
}

/* Split rows along the last axes if there are few rows. */
static bool split_rows(struct rewriting *r, const struct reduction *d)
{
    size_t count = d->suffix;

    if (d->results >= few_rows || d->elements < long_rows)
        return false;
    while (count > 1 && d->elements / row_of(d->shape, count) < many_rows)
        count--;
    if (count == d->suffix || row_of(d->shape, count) < least_row)
        return split_axis(r, d, d->shape->rank - 1, many_rows);
    split_axes(r, d, count);
    return true;
}

/* Insert a reduction along the last axes, as a table with a row for each element of the batch. */
static const char *insert_table(struct rewriting *r, const struct reduction *d, size_t *at,
                                const char *op)
{
    const struct axes_range last = {d->shape->rank - d->suffix, d->suffix, true};
    const struct shape table = {.rank = 2, .dims = {d->shape->dims[0], d->results}};
    const char *name = insert_reduction(r, *at, op, node_operand(r, *at, 0), &last);

    ++*at;
    return insert_reshape(r, (*at)++, name, &table);
}

static const char *insert_pair(struct rewriting *r, size_t at, const char *op,
                               const char *const in[2])
{
    const struct new_node new = {op, {in[0], in[1]}};
    struct json *made;

    return rewriting_insert(r, at, &new, &made);
}

/*
 * The variance of parts of equal size: the mean of their variances plus the variance of their
 * means.
 */
static const char *insert_variance(struct rewriting *r, const struct reduction *d, size_t *at)
{
    const struct axes_range first = {0, 1, false}, kept = {0, 1, true};
    const char *means = insert_table(r, d, at, "mean");
    const char *inner = insert_table(r, d, at, "var");
    const char *pair[2] = {means, insert_reduction(r, (*at)++, "mean", means, &kept)};

    pair[0] = pair[1] = insert_pair(r, (*at)++, "sub", pair);
    pair[0] = insert_pair(r, (*at)++, "mul", pair);
    pair[0] = insert_reduction(r, (*at)++, "mean", pair[0], &first);
    pair[1] = insert_reduction(r, (*at)++, "mean", inner, &first);
    return insert_pair(r, (*at)++, "add", pair);
}

/* The first axis and the last ones, as in the statistics of a batch. */
static bool split_channels(struct rewriting *r, const struct reduction *d)
{
    const struct axes_range first = {0, 1, false};
    const char *op = node_op(r, d->node), *name;
    const struct shape result = rewriting_value(r, node_out(r, d->node))->shape;
    bool is_variance = strcmp(op, "var") == 0;
    size_t at = d->node;
    struct json *node;

    if (row_of(d->shape, d->suffix) < least_row || result.rank == 0)
        return false;
    if (d->axes != (1U | (((1U << d->suffix) - 1) << (d->shape->rank - d->suffix)))) {
        if (!is_variance)
            split_axes(r, d, d->suffix);
        return !is_variance;
    }
    if (is_variance) {
        name = insert_variance(r, d, &at);
    } else {
        name = insert_table(r, d, &at, op);
        name = insert_reduction(r, at++, op, name, &first);
    }
    node = r->nodes.items[at];
    json_put_string(node, "op", "reshape");
    json_remove(node, "dim");
    json_remove(node, "keepdim");
    json_remove(node, "correction");
    json_put_integers(node, "shape", result.dims, result.rank);
    node_set_operand(r, at, 0, json_string_new(name));
    return true;
}

/*
 * The most parts of a column. A work-item adds up a part, and then one all parts of a column: fewer
 * parts than elements of a part make the second stage shorter, if they still keep a GPU busy.
 */
static int64_t column_parts(const struct reduction *d)
{
    int64_t parts = most_parts;

    while (parts * parts > d->shape->dims[0] && parts / 2 * d->results >= enough_items)
        parts /= 2;
    while (parts >= most_parts && parts < most_parts_of_few && parts * d->results < fewest_items)
        parts *= 2;
    return parts;
}

static bool split(struct rewriting *r, const struct reduction *d)
{
    unsigned last = ((1U << d->suffix) - 1) << (d->shape->rank - d->suffix);
    bool is_variance = strcmp(node_op(r, d->node), "var") == 0;

    if (is_variance &&
        (d->axes == last || json_get_number(r->nodes.items[d->node], "correction", 1) != 0))
        return false;
    if (d->suffix && d->axes == last)
        return split_rows(r, d);
    if (d->results >= few_columns)
        return false;
    if (d->suffix)
        return split_channels(r, d);
    return !is_variance && d->axes == 1 && d->shape->dims[0] >= long_column &&
           split_axis(r, d, 0, column_parts(d));
}

static bool split_node(struct rewriting *r, size_t node)
{
    struct reduction found;

    return read_reduction(r, node, &found) && split(r, &found);
}

bool algebra_stages(struct rewriting *r, struct json *steps)
{
    return algebra_rewrite_nodes(r, split_node, steps);
}
