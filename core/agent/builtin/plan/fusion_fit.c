#include "core/agent/builtin/plan/fusion_fit.h"

#include "core/agent/builtin/plan/family.h"

static size_t rank_of(const struct writer *writer, size_t value)
{
    return writer->graph.values.items[value].shape.rank;
}

static size_t group_index(const struct planner *p, size_t value)
{
    return p->fusion->group_of[value];
}

bool planner_is_ahead(const struct planner *p)
{
    return p->ahead && p->ahead[p->index];
}

bool planner_operand_fits(const struct planner *p, const struct group *group, size_t value)
{
    if (group->parts)
        return rank_of(p->writer, value) == 0 ||
               writer_same_shape(p->writer, value, group->space) ||
               (group->column_axes == 1 && rank_of(p->writer, value) == 1 &&
                writer_same_size(p->writer, value, 0, group->space, 1));
    return fusion_span(p->writer, value, group->space, group_column_bits(p->writer, group)) !=
           SPAN_OTHER;
}

bool planner_operands_fit(const struct planner *p, const struct group *group, size_t group_number,
                          const struct graph_node *node)
{
    for (size_t i = 0; i < node->in_count; i++)
        if (group_index(p, node->in[i]) != group_number &&
            !planner_operand_fits(p, group, node->in[i]))
            return false;
    return true;
}

bool planner_nodes_fit(const struct planner *p, const struct group *group, size_t group_number)
{
    for (size_t i = 0; i < group->count; i++)
        if (!planner_operands_fit(p, group, group_number,
                                  &p->writer->graph.nodes.items[group->nodes[i]]))
            return false;
    return true;
}

/* True if a value with one element per row is broadcast over exactly the group's columns. */
static bool row_value_fits(const struct planner *p, const struct group *group, size_t value)
{
    return rank_of(p->writer, value) == rank_of(p->writer, group->space) &&
           fusion_span(p->writer, value, group->space, group_column_bits(p->writer, group)) ==
               SPAN_ONE;
}

bool planner_element_fits(const struct planner *p, const struct group *group, size_t number)
{
    if (!writer_same_shape(p->writer, p->node->out, group->space) ||
        !planner_operands_fit(p, group, number, p->node))
        return false;
    for (size_t i = 0; i < p->node->in_count; i++)
        if (group_index(p, p->node->in[i]) == number && p->fusion->is_row[p->node->in[i]] &&
            !row_value_fits(p, group, p->node->in[i]))
            return false;
    return true;
}

bool planner_row_element_fits(const struct planner *p, size_t number)
{
    for (size_t i = 0; i < p->node->in_count; i++) {
        size_t in = p->node->in[i];
        bool is_scalar = p->call.in[i]->shape.rank == 0;

        if (group_index(p, in) == number &&
            !(p->fusion->is_row[in] && writer_same_shape(p->writer, in, p->node->out)))
            return false;
        if (!is_scalar && !writer_same_shape(p->writer, in, p->node->out))
            return false;
    }
    return true;
}

size_t planner_last_group(const struct planner *p)
{
    size_t none = p->fusion->groups.count, last = none;

    for (size_t i = 0; i < p->node->in_count; i++) {
        size_t group = group_index(p, p->node->in[i]);

        if (group != SIZE_MAX && p->fusion->groups.items[group].is_ahead == planner_is_ahead(p) &&
            (last == none || group > last))
            last = group;
    }
    return last;
}

bool planner_has_batch(const struct planner *p)
{
    size_t in = p->node->in[0];
    const struct graph_node *maker = fusion_scan_node_of(p->writer, in);
    bool is_inline =
        fusion_is_movement(p->fusion, in) && !(maker && maker->op->kind == OP_REDUCTION);
    bool is_fixed = p->schedule->of[KNOB_LANES] > 1 && p->node->op->kind == OP_REDUCTION &&
                    family_has_batch(&p->call) && (p->call.in[0]->shape.rank > 2 || !is_inline);

    for (size_t axis = 0; is_fixed && axis < p->call.in[0]->shape.rank; axis++)
        is_fixed = p->writer->extents.is_fixed[p->node->in[0]][axis];
    return is_fixed;
}

bool planner_fits_rows(const struct planner *p)
{
    size_t number = planner_last_group(p);
    const struct group *group;

    if (number == p->fusion->groups.count)
        return false;
    group = &p->fusion->groups.items[number];
    if (group->family != FAMILY_ROWWISE || !planner_element_fits(p, group, number))
        return false;
    for (size_t i = 0; i < p->node->in_count; i++)
        if (fusion_is_movement(p->fusion, p->node->in[i]) &&
            !group_reads(p->writer, group, p->node->in[i]))
            return false;
    return true;
}
