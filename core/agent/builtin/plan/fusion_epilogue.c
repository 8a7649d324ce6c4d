#include "core/agent/builtin/plan/fusion_epilogue.h"

#include <string.h>

#include "core/agent/builtin/plan/family.h"
#include "core/base/array.h"
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

/* True if the group is a product that runs on matrix units under the schedule. */
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

    if (rows->family != FAMILY_ROWWISE || rows->parts || rows->has_batch ||
        rows->column_axes != 1 || number == SIZE_MAX || !formula_rowwise(rowwise->op->name) ||
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

/* True if all kernels that load the value do so element by element. */
static bool is_read_by_elements(const struct writer *writer, const struct fusion *fusion,
                                size_t value)
{
    for (size_t n = 0; n < writer->graph.nodes.count; n++) {
        const struct graph_node *node = &writer->graph.nodes.items[n];
        const struct group *reader = &fusion->groups.items[fusion->group_of[node->out]];

        for (size_t i = 0; i < node->in_count; i++)
            if (node->in[i] == value && fusion->group_of[node->out] != fusion->group_of[value] &&
                (reader->slices ||
                 !(reader->family & (FAMILY_ELEMENTWISE | FAMILY_ROWWISE | FAMILY_COLUMNS))))
                return false;
    }
    return true;
}

void fusion_epilogue_find_rounded(const struct writer *writer, const struct schedule *schedule,
                                  struct fusion *fusion)
{
    bool rounds = schedule->of[KNOB_MATRIX] != MATRIX_PARTS && schedule->of[KNOB_WARPGROUP];

    for (size_t v = 0; rounds && v < writer->graph.values.count; v++) {
        const struct value *value = &writer->graph.values.items[v];
        const struct group *maker =
            fusion->group_of[v] == SIZE_MAX ? NULL : &fusion->groups.items[fusion->group_of[v]];

        fusion->is_rounded[v] = maker && is_on_matrix(writer, schedule, maker) &&
                                value->role == TENSOR_INNER && value->dtype == DTYPE_F32 &&
                                fusion->is_stored[v] && !maker->is_ahead && !fusion->is_row[v] &&
                                is_read_by_elements(writer, fusion, v);
    }
}

enum dtype fusion_storage(const struct writer *writer, const struct schedule *schedule,
                          const struct fusion *fusion, size_t value)
{
    if (!fusion->is_rounded[value])
        return writer->graph.values.items[value].dtype;
    return schedule->of[KNOB_MATRIX] == MATRIX_HALVES ? DTYPE_F16 : DTYPE_BF16;
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

/* With fewer rows one work-item adds up a column in little time. */
static const int64_t least_rows = 64;

bool columns_can_be(const struct op_call *call)
{
    static const char *const names[] = {"sum", "mean", "var"};

    for (size_t i = 0; i < COUNT(names); i++)
        if (strcmp(call->op->name, names[i]) == 0)
            return family_is_f32(call) && call->in[0]->shape.rank == 2 && call->op->axes(call) == 1;
    return false;
}

/* The node that computes the value; nodes.count for none. */
static size_t maker_of(const struct graph *graph, size_t value)
{
    size_t n = 0;

    while (n < graph->nodes.count && graph->nodes.items[n].out != value)
        n++;
    return n;
}

static bool is_product(const struct op_call *call)
{
    if (call->op->kind != OP_PRODUCT || !family_is_f32(call) || call->in[0]->shape.rank != 2 ||
        call->in[1]->shape.rank != 2)
        return false;
    return product_of(call).m >= least_rows;
}

static bool is_computed(const struct value *value)
{
    return value->role == TENSOR_INNER || value->role == TENSOR_OUTPUT;
}

/* The only operand that is computed, which has the result's shape; SIZE_MAX if there is none. */
static size_t computed_operand(const struct op_call *call, const struct graph_node *node)
{
    size_t found = SIZE_MAX;

    for (size_t i = 0; i < node->in_count; i++) {
        if (!is_computed(call->in[i]))
            continue;
        if ((found != SIZE_MAX && found != node->in[i]) ||
            !shape_equals(&call->in[i]->shape, &call->out->shape))
            return SIZE_MAX;
        found = node->in[i];
    }
    return found;
}

bool columns_of_product(const struct graph *graph, size_t value)
{
    while (value != SIZE_MAX) {
        size_t n = maker_of(graph, value);
        struct op_call call;

        if (n == graph->nodes.count)
            return false;
        call = graph_call(graph, n);
        if (is_product(&call))
            return true;
        if (call.op->kind != OP_ELEMENTWISE || !family_is_f32(&call))
            return false;
        value = computed_operand(&call, &graph->nodes.items[n]);
    }
    return false;
}

/* The first reduction of a group of FAMILY_COLUMNS gives the value that all of them reduce. */
static size_t reduced_value(const struct writer *writer, const struct group *group)
{
    return writer->graph.nodes.items[group->nodes[0]].in[0];
}

bool fusion_columns_join(const struct writer *writer, struct fusion *fusion, size_t node)
{
    const struct graph_node *n = &writer->graph.nodes.items[node];

    for (size_t g = 0; g < fusion->groups.count; g++) {
        struct group *group = &fusion->groups.items[g];

        if (group->family != FAMILY_COLUMNS || group->count >= GROUP_MAX_FUSED ||
            reduced_value(writer, group) != n->in[0])
            continue;
        group->nodes[group->count++] = node;
        fusion->group_of[n->out] = g;
        return true;
    }
    return false;
}

/* True if the epilogue of the product's group writes statistics of another value already. */
static bool has_others(const struct writer *writer, const struct fusion *fusion, size_t number,
                       size_t value)
{
    for (size_t g = 0; g < fusion->groups.count; g++) {
        const struct group *group = &fusion->groups.items[g];

        if (group->family == FAMILY_COLUMNS && reduced_value(writer, group) != value &&
            fusion->group_of[reduced_value(writer, group)] == number)
            return true;
    }
    return false;
}

bool fusion_columns_takes(const struct writer *writer, const struct schedule *schedule,
                          const struct fusion *fusion, size_t node)
{
    const struct op_call call = graph_call(&writer->graph, node);
    size_t value = writer->graph.nodes.items[node].in[0], number = fusion->group_of[value];

    return schedule->of[KNOB_GROUP] > 1 && schedule->of[KNOB_WARPGROUP] && number != SIZE_MAX &&
           columns_can_be(&call) && columns_of_product(&writer->graph, value) &&
           !fusion->groups.items[number].is_ahead &&
           is_on_matrix(writer, schedule, &fusion->groups.items[number]) &&
           !has_others(writer, fusion, number, value);
}

void fusion_columns_mark(const struct writer *writer, struct fusion *fusion)
{
    for (size_t g = 0; g < fusion->groups.count; g++) {
        struct group *group = &fusion->groups.items[g], *product;

        if (group->family != FAMILY_COLUMNS)
            continue;
        group->columns_of = reduced_value(writer, group);
        product = &fusion->groups.items[fusion->group_of[group->columns_of]];
        product->writes_columns = true;
        product->columns_of = group->columns_of;
    }
}

bool fusion_columns_reduces(const struct writer *writer, const struct group *group, size_t node)
{
    return group->family == FAMILY_COLUMNS &&
           writer->graph.nodes.items[node].op->kind == OP_REDUCTION;
}

bool fusion_epilogue_gives(const struct writer *writer, const struct fusion *fusion, size_t node)
{
    const struct graph_node *n = &writer->graph.nodes.items[node];
    const struct group *group = &fusion->groups.items[fusion->group_of[n->out]];

    return (group->reads_partials && group->nodes[0] == node && n->op->kind == OP_REDUCTION) ||
           fusion_columns_reduces(writer, group, node);
}
