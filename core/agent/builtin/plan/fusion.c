#include "core/agent/builtin/plan/fusion.h"

#include <stdlib.h>

#include "core/agent/builtin/plan/algebra/algebra.h"
#include "core/agent/builtin/plan/family.h"
#include "core/agent/builtin/plan/fusion_cost.h"
#include "core/agent/builtin/plan/fusion_epilogue.h"
#include "core/agent/builtin/plan/fusion_fit.h"
#include "core/agent/builtin/plan/fusion_horizontal.h"
#include "core/agent/builtin/plan/fusion_split.h"
#include "core/agent/builtin/plan/fusion_views.h"
#include "core/base/vec.h"
#include "core/model/op/op_channelwise.h"

/* The most buffers of a long elementwise group, whose kernel has registers for all. */
enum { MOST_BUFFERS = 24 };

static size_t group_index(const struct planner *p, size_t value)
{
    return p->fusion->group_of[value];
}

static void put(struct planner *p, size_t number, bool is_row)
{
    struct group *group = &p->fusion->groups.items[number];

    group->nodes[group->count++] = p->index;
    p->fusion->group_of[p->node->out] = number;
    p->fusion->is_row[p->node->out] = is_row;
}

/* Change the number of axes that are columns, if all operands of the group allow it. */
static bool narrow(const struct planner *p, struct group *group, size_t number, size_t column_axes)
{
    size_t before = group->column_axes;

    group->column_axes = column_axes;
    if (planner_nodes_fit(p, group, number))
        return true;
    group->column_axes = before;
    return false;
}

/* Make the channels of a batch the rows of an elementwise group, if all operands allow it. */
static bool make_channels(const struct planner *p, struct group *group, size_t number)
{
    group->has_batch = true;
    if (narrow(p, group, number, p->call.in[0]->shape.rank - 2))
        return true;
    group->has_batch = false;
    return false;
}

/* Make as many axes columns as the operands of the elementwise group and of the node allow. */
static bool narrow_for_element(const struct planner *p, struct group *group, size_t number)
{
    size_t before = group->column_axes;

    for (size_t axes = before; axes-- > 1;)
        if (narrow(p, group, number, axes) && planner_element_fits(p, group, number))
            return true;
    group->column_axes = before;
    return false;
}

/* True if group `to` can compute the elements of group `from` itself. */
static bool can_absorb(const struct planner *p, size_t from, size_t to)
{
    const struct group *group = &p->fusion->groups.items[to],
                       *other = &p->fusion->groups.items[from];
    bool fits = group->family == FAMILY_ELEMENTWISE && other->family == FAMILY_ELEMENTWISE &&
                group->is_ahead == other->is_ahead &&
                group->count + other->count < GROUP_MAX_NODES &&
                !fusion_is_read_between(p->writer, p->fusion, from, to);

    for (size_t n = 0; fits && n < other->count; n++) {
        const struct graph_node *node = &p->writer->graph.nodes.items[other->nodes[n]];

        fits = writer_same_shape(p->writer, node->out, group->space);
        for (size_t i = 0; fits && i < node->in_count; i++)
            fits =
                group_index(p, node->in[i]) == from || planner_operand_fits(p, group, node->in[i]);
    }
    return fits;
}

/*
 * Let the group compute elements that the node reads from an earlier elementwise group, so that
 * these need not be stored.
 */
static void absorb_operands(struct planner *p, size_t number)
{
    for (size_t i = 0; i < p->node->in_count; i++) {
        size_t from = group_index(p, p->node->in[i]);

        if (from < number && can_absorb(p, from, number))
            fusion_move_nodes(p->writer, p->fusion, from, number--);
    }
}

/*
 * Let the group also reduce the rows that another group reduces, if both read a value in common:
 * the kernel then loads it once.
 */
static void absorb_rows(struct planner *p, size_t number)
{
    for (size_t i = 0; i < p->node->in_count; i++) {
        size_t from = group_index(p, p->node->in[i]);

        if (from < number && fusion_shares_rows(p->writer, p->fusion, from, number) &&
            !fusion_is_read_between(p->writer, p->fusion, from, number))
            fusion_move_nodes(p->writer, p->fusion, from, number--);
    }
}

static bool join_element(struct planner *p, size_t number)
{
    struct group *group = &p->fusion->groups.items[number];

    if (group->family & (FAMILY_PRODUCT | FAMILY_CONVOLUTION) && !family_is_f32(&p->call))
        return false;
    if (group->family == FAMILY_ROWWISE && planner_row_element_fits(p, number) &&
        !writer_same_shape(p->writer, p->node->out, group->space)) {
        put(p, number, true);
        absorb_rows(p, number);
        return true;
    }
    if (!planner_element_fits(p, group, number) &&
        !(group->family == FAMILY_ELEMENTWISE && narrow_for_element(p, group, number)))
        return false;
    put(p, number, false);
    absorb_operands(p, number);
    return true;
}

static bool join_rowwise(struct planner *p, size_t number)
{
    struct group *group = &p->fusion->groups.items[number];
    size_t columns = family_rowwise_axes(&p->call), in = p->node->in[0];
    bool is_elements = group->family == FAMILY_ELEMENTWISE, is_batch = planner_has_batch(p);

    if ((columns == 0 && !is_batch) || group->parts)
        return false;
    if (!(is_elements || group->family == FAMILY_ROWWISE) || p->fusion->is_row[in] ||
        group_index(p, in) != number || !writer_same_shape(p->writer, in, group->space))
        return false;
    if (is_batch      ? !(is_elements ? make_channels(p, group, number) : group->has_batch)
        : is_elements ? !narrow(p, group, number, columns)
                      : group->has_batch || group->column_axes != columns)
        return false;
    if (!planner_operands_fit(p, group, number, p->node))
        return false;
    group->family = FAMILY_ROWWISE;
    put(p, number, p->call.op->kind == OP_REDUCTION);
    return true;
}

/* Search the group that computes the value, and those that this reads, but for those seen before.
 */
/* NOLINTNEXTLINE(misc-no-recursion): through the graph, which has no cycles */
static bool finds_reduction(const struct planner *p, size_t value, bool *is_seen)
{
    size_t number = group_index(p, value);
    const struct group *group = number == SIZE_MAX ? NULL : &p->fusion->groups.items[number];
    bool found = false;

    if (!group || group->family != FAMILY_MOVEMENT || is_seen[number])
        return false;
    is_seen[number] = true;
    for (size_t n = 0; !found && n < group->count; n++) {
        const struct graph_node *node = &p->writer->graph.nodes.items[group->nodes[n]];

        found = node->op->kind == OP_REDUCTION;
        for (size_t i = 0; !found && i < node->in_count; i++)
            found = finds_reduction(p, node->in[i], is_seen);
    }
    return found;
}

/* True if a movement is computed from a reduction, in its own group or in one that this reads. */
static bool is_reduced(const struct planner *p, size_t value)
{
    bool *is_seen = mem_alloc_zeroed(p->fusion->groups.count + 1, sizeof(*is_seen));
    bool found = finds_reduction(p, value, is_seen);

    free(is_seen);
    return found;
}

/* True if the operand is computed from a reduction and so small that its reader finds it stored. */
static bool is_stored_ahead(const struct planner *p, size_t operand)
{
    const int64_t many = 64;
    size_t axis;

    return !(p->schedule->of[KNOB_GROUP] > 1 &&
             fusion_stack_axis(p->writer, p->node->out, &axis)) &&
           shape_elements(&p->call.in[operand]->shape) * many <=
               shape_elements(&p->call.out->shape) &&
           is_reduced(p, p->node->in[operand]);
}

/* True if the operand is the sum, say, of movements, which several kernels find stored. */
static bool is_shared_reduction(const struct planner *p, size_t operand)
{
    size_t value = p->node->in[operand];
    const struct graph_node *maker = fusion_scan_node_of(p->writer, value);

    return p->schedule->of[KNOB_LANES] > 1 && p->node->op->kind == OP_ELEMENTWISE && maker &&
           maker->op->kind == OP_REDUCTION && !fusion_scan_is_private(p->writer, value);
}

static enum family operand_family(const struct planner *p, size_t operand)
{
    size_t group = group_index(p, p->node->in[operand]);

    if (group == SIZE_MAX || p->fusion->groups.items[group].is_ahead != planner_is_ahead(p) ||
        is_stored_ahead(p, operand) || is_shared_reduction(p, operand))
        return FAMILY_PLAIN; /* the value is in memory */
    return p->fusion->groups.items[group].family;
}

/* True if the node's kernel computes an operand of movements inline. */
static bool finds_inline(const struct planner *p, enum family family, size_t operand)
{
    return family == FAMILY_MOVEMENT || (fusion_scan_is_inlining(p->writer, p->node) &&
                                         fusion_scan_is_private(p->writer, operand));
}

/*
 * An elementwise operation on the result of a movement joins the movement's family. Conversely the
 * elementwise groups that a movement or a scan reads become movements, so that its kernel computes
 * them inline.
 */
static enum family settle_family(const struct planner *p, enum family family)
{
    if (family == FAMILY_ELEMENTWISE && planner_fits_rows(p))
        return family;
    for (size_t i = 0; family == FAMILY_ELEMENTWISE && i < p->node->in_count; i++)
        if (operand_family(p, i) == FAMILY_MOVEMENT)
            family = FAMILY_MOVEMENT;
    for (size_t i = 0; i < p->node->in_count; i++)
        if (operand_family(p, i) == FAMILY_ELEMENTWISE && finds_inline(p, family, p->node->in[i]))
            fusion_inline_elements(p->writer, p->fusion, group_index(p, p->node->in[i]));
    return family;
}

/* Add a reduction to the group of another one along the same rows in memory, which are read once.
 */
static bool join_sibling(struct planner *p, enum family family)
{
    size_t in = p->node->in[0], columns = family_rowwise_axes(&p->call);
    bool is_batch = planner_has_batch(p);

    if (family != FAMILY_ROWWISE || p->call.op->kind != OP_REDUCTION)
        return false;
    for (size_t g = 0; g < p->fusion->groups.count; g++) {
        struct group *group = &p->fusion->groups.items[g];

        if (group->family != FAMILY_ROWWISE || group->space != in || group_index(p, in) == g ||
            group->parts || group->has_batch != is_batch ||
            (!is_batch && group->column_axes != columns) ||
            group->is_ahead != planner_is_ahead(p) || group->count >= GROUP_MAX_FUSED)
            continue;
        put(p, g, true);
        return true;
    }
    return false;
}

/* True if no further node of a family may join the group. */
static bool is_full(const struct planner *p, size_t number, enum family family)
{
    const struct group *group = &p->fusion->groups.items[number];

    if (group->family != FAMILY_ELEMENTWISE || family != FAMILY_ELEMENTWISE)
        return group->count >= GROUP_MAX_FUSED;
    return group->count == GROUP_MAX_NODES ||
           (group->count >= GROUP_MAX_FUSED &&
            fusion_buffers(p->writer, p->fusion, number) > MOST_BUFFERS);
}

/* Add the node to the group that computes its operands; false if it does not fit there. */
static bool join(struct planner *p, enum family family)
{
    size_t number = planner_last_group(p);

    const enum family open =
        FAMILY_ELEMENTWISE | FAMILY_ROWWISE | FAMILY_PRODUCT | FAMILY_CONVOLUTION | FAMILY_COLUMNS;

    if (family == FAMILY_COLUMNS)
        return fusion_columns_join(p->writer, p->fusion, p->index);

    if (number < p->fusion->groups.count && family == FAMILY_MOVEMENT &&
        fusion_scan_takes(p->writer, p->fusion, number, p->node)) {
        put(p, number, false);
        return true;
    }
    if (number >= p->fusion->groups.count || !(p->fusion->groups.items[number].family & open) ||
        is_full(p, number, family) ||
        p->fusion->groups.items[number].is_ahead != planner_is_ahead(p))
        return false;
    if (family == FAMILY_ELEMENTWISE)
        return join_element(p, number);
    if (family == FAMILY_ROWWISE &&
        fusion_epilogue_takes_norm(p->writer, p->schedule, p->fusion, number, p->index)) {
        put(p, number, false);
        return true;
    }
    return family == FAMILY_ROWWISE && join_rowwise(p, number);
}

/*
 * Set the columns of a normalization by groups: a row is one group of channels, its columns are the
 * elements of these channels. False if the group's kernel needs sizes that are not fixed.
 */
static bool set_parts(const struct planner *p, struct group *group)
{
    struct channel_norm norm = channel_norm_of(&p->call);
    bool has_groups = op_attribute(&p->call, "num_groups");
    struct strbuf text = {0};

    if (has_groups)
        writer_number(p->writer, p->node, "num_groups", 0, &text);
    else
        strbuf_adds(&text, p->writer->extents.of[p->node->in[0]][1]);
    group->column_axes = p->call.out->shape.rank - 1;
    group->parts = arena_copy(&p->fusion->texts, strbuf_cstr(&text), text.len);
    group->part_count = norm.groups;
    strbuf_release(&text);
    return p->writer->extents.is_fixed[p->node->in[0]][1] &&
           writer_is_fixed(p->writer, group->parts) && family_is_f32(&p->call);
}

static void start(struct planner *p, enum family family)
{
    size_t number = p->fusion->groups.count;
    struct group group = {
        .family = family, .space = p->node->out, .column_axes = 1, .is_ahead = planner_is_ahead(p)};

    if (family == FAMILY_ROWWISE && p->call.op->kind == OP_CHANNELWISE) {
        group.family = set_parts(p, &group) ? FAMILY_ROWWISE : FAMILY_PLAIN;
    } else if (family == FAMILY_ROWWISE) {
        group.space = p->node->in[0];
        group.has_batch = planner_has_batch(p);
        group.column_axes =
            group.has_batch ? p->call.in[0]->shape.rank - 2 : family_rowwise_axes(&p->call);
    } else if (family == FAMILY_ELEMENTWISE) {
        group.column_axes = p->call.out->shape.rank;
        while (group.column_axes > 1 && !planner_operands_fit(p, &group, number, p->node))
            group.column_axes--;
    }
    if ((family == FAMILY_ELEMENTWISE || family == FAMILY_ROWWISE) && !group.parts &&
        !planner_operands_fit(p, &group, number, p->node))
        group.family = FAMILY_PLAIN;
    vec_push(&p->fusion->groups, group);
    put(p, number, p->call.op->kind == OP_REDUCTION && family != FAMILY_COLUMNS);
}

/* True if the kernel that computes `out` also computes `in`, which belongs to another group. */
static bool is_inlined(const struct writer *writer, const struct fusion *fusion, size_t in,
                       const struct graph_node *node)
{
    return fusion_is_movement(fusion, in) &&
           (fusion_is_movement(fusion, node->out) || fusion_scan_is_inlining(writer, node)) &&
           fusion->groups.items[fusion->group_of[in]].is_ahead ==
               fusion->groups.items[fusion->group_of[node->out]].is_ahead;
}

/*
 * Mark the outputs, and the values that another group loads. Movements read other movements inline,
 * so these need no buffer.
 */
static void mark_stored(const struct writer *writer, struct fusion *fusion)
{
    for (size_t v = 0; v < writer->graph.values.count; v++)
        fusion->is_stored[v] = writer->graph.values.items[v].role == TENSOR_OUTPUT;
    for (size_t n = 0; n < writer->graph.nodes.count; n++) {
        const struct graph_node *node = &writer->graph.nodes.items[n];

        for (size_t i = 0; i < node->in_count && !fusion_epilogue_gives(writer, fusion, n); i++)
            if (fusion->group_of[node->in[i]] != SIZE_MAX &&
                fusion->group_of[node->in[i]] != fusion->group_of[node->out] &&
                !is_inlined(writer, fusion, node->in[i], node))
                fusion->is_stored[node->in[i]] = true;
    }
}

void fusion_plan(const struct writer *writer, const struct schedule *schedule,
                 struct fusion *fusion)
{
    struct planner p = {.writer = writer, .schedule = schedule, .fusion = fusion};
    size_t count = writer->graph.values.count;

    if (schedule->of[KNOB_AHEAD] || schedule->of[KNOB_GROUP] > 1)
        p.ahead = algebra_ahead(&writer->graph, schedule->of[KNOB_AHEAD]);
    *fusion = (struct fusion){
        .group_of = mem_alloc_zeroed(count + 1, sizeof(*fusion->group_of)),
        .is_row = mem_alloc_zeroed(count + 1, sizeof(*fusion->is_row)),
        .is_stored = mem_alloc_zeroed(count + 1, sizeof(*fusion->is_stored)),
        .converted_for = mem_alloc_zeroed(count + 1, sizeof(*fusion->converted_for)),
        .is_rounded = mem_alloc_zeroed(count + 1, sizeof(*fusion->is_rounded)),
        .view_of = mem_alloc_zeroed(count + 1, sizeof(*fusion->view_of)),
    };
    for (size_t v = 0; v < count; v++)
        fusion->group_of[v] = fusion->converted_for[v] = fusion->view_of[v] = SIZE_MAX;
    for (p.index = 0; p.index < writer->graph.nodes.count; p.index++) {
        p.node = &writer->graph.nodes.items[p.index];
        p.call = graph_call(&writer->graph, p.index);

        enum family family = FAMILY_PLAIN;
        if (schedule->of[KNOB_FUSE])
            family = fusion_columns_takes(writer, schedule, fusion, p.index) ? FAMILY_COLUMNS
                     : planner_has_batch(&p)
                         ? FAMILY_ROWWISE
                         : settle_family(&p, family_of(p.writer, p.node, &p.call));

        if (!join(&p, family) && !join_sibling(&p, family))
            start(&p, family);
    }
    free(p.ahead);
    fusion_columns_mark(writer, fusion);
    fusion_epilogue_find_partials(writer, schedule, fusion);
    fusion_split_rows(writer, schedule, fusion);
    mark_stored(writer, fusion);
    fusion_mark_costly(writer, schedule, fusion);
    fusion_find_views(writer, fusion);
    fusion_horizontal_merge(writer, schedule, fusion);
    fusion_epilogue_find_converted(writer, schedule, fusion);
    fusion_epilogue_find_rounded(writer, schedule, fusion);
}

enum status fusion_find_families(const struct problem *problem, const char *language,
                                 const struct schedule *schedule, unsigned *families,
                                 struct error *err)
{
    struct writer writer = {0};
    struct fusion fusion = {0};
    struct algebra algebra = {0};
    enum status st = algebra_open(&algebra, problem, algebra_rules(schedule), err);

    if (!st)
        st = writer_open(&writer, algebra.problem, language, err);
    if (!st) {
        fusion_plan(&writer, schedule, &fusion);
        *families = fusion_families(&fusion);
    }
    fusion_release(&fusion);
    writer_release(&writer);
    algebra_close(&algebra);
    return st;
}
