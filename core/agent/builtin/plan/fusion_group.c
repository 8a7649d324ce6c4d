#include "core/agent/builtin/plan/fusion_group.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/vec.h"

static size_t rank_of(const struct writer *writer, size_t value)
{
    return writer->graph.values.items[value].shape.rank;
}

enum span fusion_span(const struct writer *writer, size_t value, size_t space, struct axes axes)
{
    size_t rank = rank_of(writer, value), space_rank = rank_of(writer, space);
    size_t same = 0, one = 0;

    for (size_t axis = axes.first; axis < axes.end; axis++) {
        bool is_absent = axis + rank < space_rank;
        size_t own = axis + rank - space_rank;

        same += is_absent ? strcmp(writer->extents.of[space][axis], "1") == 0
                          : writer_same_size(writer, value, own, space, axis);
        one += is_absent || strcmp(writer->extents.of[value][own], "1") == 0;
    }
    if (same == axes.end - axes.first)
        return SPAN_ALL;
    return one == axes.end - axes.first ? SPAN_ONE : SPAN_OTHER;
}

unsigned axes_bits(struct axes axes)
{
    return (1U << axes.end) - (1U << axes.first);
}

struct axes group_columns(const struct writer *writer, const struct group *group)
{
    size_t rank = rank_of(writer, group->space);

    return (struct axes){rank - group->column_axes, rank};
}

struct axes group_rows(const struct writer *writer, const struct group *group)
{
    return (struct axes){0, rank_of(writer, group->space) - group->column_axes};
}

bool fusion_is_movement(const struct fusion *fusion, size_t value)
{
    return fusion->group_of[value] != SIZE_MAX &&
           fusion->groups.items[fusion->group_of[value]].family == FAMILY_MOVEMENT;
}

size_t group_find(const struct group *group, size_t node)
{
    size_t i = 0;

    while (i < group->count && group->nodes[i] != node)
        i++;
    return i;
}

/* Insert the node in the graph's order. */
static void insert_node(struct group *group, size_t node)
{
    size_t at = group->count++;

    for (; at > 0 && group->nodes[at - 1] > node; at--)
        group->nodes[at] = group->nodes[at - 1];
    group->nodes[at] = node;
}

void fusion_move_nodes(const struct writer *writer, struct fusion *fusion, size_t from, size_t to)
{
    struct group *groups = fusion->groups.items;

    for (size_t n = 0; n < groups[from].count; n++) {
        insert_node(&groups[to], groups[from].nodes[n]);
        fusion->group_of[writer->graph.nodes.items[groups[from].nodes[n]].out] = to;
    }
    fusion->groups.count--;
    for (size_t g = from; g < fusion->groups.count; g++)
        groups[g] = groups[g + 1];
    for (size_t v = 0; v < writer->graph.values.count; v++)
        if (fusion->group_of[v] != SIZE_MAX && fusion->group_of[v] > from)
            fusion->group_of[v]--;
}

void fusion_release(struct fusion *fusion)
{
    vec_release(&fusion->groups);
    arena_release(&fusion->texts);
    free(fusion->group_of);
    free(fusion->is_row);
    free(fusion->is_stored);
    *fusion = (struct fusion){0};
}

bool fusion_has_kernel(const struct writer *writer, const struct fusion *fusion, size_t number)
{
    const struct group *group = &fusion->groups.items[number];

    for (size_t n = 0; group->kernel_group == number && n < group->count; n++)
        if (fusion->is_stored[writer->graph.nodes.items[group->nodes[n]].out])
            return true;
    return group->writes_partials;
}

unsigned fusion_families(const struct fusion *fusion)
{
    unsigned families = 0;

    for (size_t i = 0; i < fusion->groups.count; i++)
        families |= (unsigned)fusion->groups.items[i].family |
                    (fusion->groups.items[i].slices ? FAMILY_SLICES : 0U);
    return families;
}
