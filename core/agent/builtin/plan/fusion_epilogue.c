#include "core/agent/builtin/plan/fusion_epilogue.h"

#include "core/agent/builtin/plan/family.h"
#include "core/model/op/op_channelwise.h"
#include "core/model/op/op_product.h"

/* The position in the group of the node that computes the value; group->count for none. */
static size_t position_of(const struct writer *writer, const struct group *group, size_t value)
{
    size_t i = 0;

    while (i < group->count && writer->graph.nodes.items[group->nodes[i]].out != value)
        i++;
    return i;
}

static bool is_on_matrix(const struct writer *writer, const struct schedule *schedule,
                         const struct group *group)
{
    struct op_call call = graph_call(&writer->graph, group->nodes[0]);

    return group->family == FAMILY_PRODUCT &&
           family_has_matrix(writer, schedule, &writer->graph.nodes.items[group->nodes[0]], &call);
}

size_t fusion_epilogue_norm(const struct writer *writer, const struct group *group)
{
    for (size_t n = 1; n < group->count; n++)
        if (writer->graph.nodes.items[group->nodes[n]].op->kind == OP_CHANNELWISE) {
            struct op_call call = graph_call(&writer->graph, group->nodes[n]);

            if (!channel_norm_of(&call).has_statistics)
                return group->nodes[n];
        }
    return SIZE_MAX;
}

/* The four work-items of a quad hold pairs of columns of a row, so together they hold runs of 8. */
enum { QUAD_COLUMNS = 8 };

/* Steps of the sum in 16 bytes, of which whole lines of a converted operand consist. */
enum { LINE_STEP = 8 };

bool fusion_epilogue_takes_norm(const struct writer *writer, const struct schedule *schedule,
                                const struct fusion *fusion, size_t number, size_t node)
{
    const struct group *group = &fusion->groups.items[number];
    const struct graph_node *n = &writer->graph.nodes.items[node];
    struct op_call call = graph_call(&writer->graph, node);
    struct channel_norm norm;
    int64_t features;

    if (n->op->kind != OP_CHANNELWISE || !family_is_f32(&call) || call.out->shape.rank != 2 ||
        fusion->group_of[n->in[0]] != number || fusion_epilogue_norm(writer, group) != SIZE_MAX ||
        !is_on_matrix(writer, schedule, group))
        return false;
    norm = channel_norm_of(&call);
    features = norm.channels / norm.groups;
    return !norm.has_statistics && features % QUAD_COLUMNS == 0 &&
           schedule->of[KNOB_SPAN] % features == 0;
}

bool fusion_epilogue_can_merge(const struct rowwise_formula *formula)
{
    for (size_t i = 1; i < FORMULA_MAX_PASSES && formula->passes[i].name; i++)
        if (!formula->passes[i].merge)
            return false;
    return true;
}

/*
 * A second pass must find its elements in registers or compute them again. It cannot compute them
 * again after a normalization.
 */
static bool can_write_partials(const struct writer *writer, const struct fusion *fusion,
                               size_t number, const struct graph_node *rowwise)
{
    bool is_short = !formula_rowwise(rowwise->op->name)->passes[1].name;

    return is_short || fusion_epilogue_norm(writer, &fusion->groups.items[number]) == SIZE_MAX ||
           fusion_epilogue_may_replace(writer, fusion, number, rowwise->in[0]);
}

/*
 * The product on matrix units that computes the first operand of the row-wise group, or
 * groups.count.
 */
static size_t product_before(const struct writer *writer, const struct schedule *schedule,
                             const struct fusion *fusion, const struct group *rows)
{
    const struct graph_node *rowwise = &writer->graph.nodes.items[rows->nodes[0]];
    size_t none = fusion->groups.count, number = fusion->group_of[rowwise->in[0]];

    if (rows->family != FAMILY_ROWWISE || rows->parts || rows->column_axes != 1 ||
        number == SIZE_MAX || !formula_rowwise(rowwise->op->name) ||
        !fusion_epilogue_can_merge(formula_rowwise(rowwise->op->name)))
        return none;
    return is_on_matrix(writer, schedule, &fusion->groups.items[number]) &&
                   can_write_partials(writer, fusion, number, rowwise)
               ? number
               : none;
}

void fusion_epilogue_find_partials(const struct writer *writer, const struct schedule *schedule,
                                   struct fusion *fusion)
{
    for (size_t g = 0; g < fusion->groups.count; g++) {
        struct group *rows = &fusion->groups.items[g];
        size_t number = product_before(writer, schedule, fusion, rows);

        if (number == fusion->groups.count || fusion->groups.items[number].writes_partials)
            continue;
        fusion->groups.items[number].writes_partials = true;
        fusion->groups.items[number].partials_of = rows->nodes[0];
        rows->reads_partials = true;
    }
}

/* The operands outside of the group that are the value. */
static size_t uses_outside(const struct writer *writer, const struct group *group, size_t value)
{
    size_t uses = 0;

    for (size_t n = 0; n < writer->graph.nodes.count; n++)
        for (size_t i = 0; i < writer->graph.nodes.items[n].in_count; i++)
            uses +=
                writer->graph.nodes.items[n].in[i] == value && group_find(group, n) == group->count;
    return uses;
}

/* True if the epilogue of `maker` can store the first operand of the product as it is converted. */
static bool is_converted(const struct writer *writer, const struct fusion *fusion,
                         const struct group *maker, const struct group *product)
{
    const struct op_call call = graph_call(&writer->graph, product->nodes[0]);
    size_t value = writer->graph.nodes.items[product->nodes[0]].in[0];
    int64_t steps = call.in[0]->shape.dims[call.in[0]->shape.rank - 1];

    return !product_of(&call).a_transposed && steps % LINE_STEP == 0 &&
           call.in[0]->role == TENSOR_INNER && !fusion->is_row[value] && !maker->is_ahead &&
           !product->is_ahead && maker->column_axes == 1 &&
           writer_same_shape(writer, value, maker->space) &&
           uses_outside(writer, maker, value) == 1;
}

void fusion_epilogue_find_converted(const struct writer *writer, const struct schedule *schedule,
                                    struct fusion *fusion)
{
    for (size_t g = 0; g < fusion->groups.count; g++) {
        const struct group *product = &fusion->groups.items[g];
        size_t value = writer->graph.nodes.items[product->nodes[0]].in[0], maker;

        if (product->family != FAMILY_PRODUCT || !is_on_matrix(writer, schedule, product))
            continue;
        maker = fusion->group_of[value];
        if (maker == SIZE_MAX || !is_on_matrix(writer, schedule, &fusion->groups.items[maker]) ||
            !is_converted(writer, fusion, &fusion->groups.items[maker], product))
            continue;
        fusion->converted_for[value] = g;
        fusion->is_stored[value] = false;
    }
}

/* True if an output or a node outside of the group's first `position` nodes reads the value. */
static bool is_needed_after(const struct writer *writer, const struct group *group, size_t value,
                            size_t position)
{
    for (size_t n = 0; n < writer->graph.nodes.count; n++)
        for (size_t i = 0; i < writer->graph.nodes.items[n].in_count; i++)
            if (writer->graph.nodes.items[n].in[i] == value && (group_find(group, n) > position))
                return true;
    return writer->graph.values.items[value].role == TENSOR_OUTPUT;
}

bool fusion_epilogue_may_replace(const struct writer *writer, const struct fusion *fusion,
                                 size_t number, size_t value)
{
    const struct group *group = &fusion->groups.items[number];
    size_t position = position_of(writer, group, value);

    for (size_t n = 0; n < position; n++)
        if (is_needed_after(writer, group, writer->graph.nodes.items[group->nodes[n]].out,
                            position))
            return false;
    return true;
}
