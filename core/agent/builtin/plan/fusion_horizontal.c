#include "core/agent/builtin/plan/fusion_horizontal.h"

#include <string.h>

#include "core/base/vec.h"

static const struct graph_node *source_of(const struct writer *writer, size_t value)
{
    size_t n = 0;

    while (writer->graph.nodes.items[n].out != value)
        n++;
    return &writer->graph.nodes.items[n];
}

/* True if all buffers that the node depends on are written before group `leader` runs. */
/* NOLINTNEXTLINE(misc-no-recursion): through the graph, which has no cycles */
static bool is_ready(const struct writer *writer, const struct fusion *fusion,
                     const struct graph_node *node, size_t leader)
{
    bool ready = true;

    for (size_t i = 0; ready && i < node->in_count; i++) {
        size_t in = node->in[i], group = fusion->group_of[in];

        if (group == SIZE_MAX)
            continue;
        if (fusion->is_stored[in] || fusion->groups.items[group].family != FAMILY_MOVEMENT)
            ready = fusion->groups.items[group].kernel_group < leader;
        else
            ready = is_ready(writer, fusion, source_of(writer, in), leader);
    }
    return ready;
}

static bool can_join(const struct writer *writer, const struct fusion *fusion, size_t number,
                     size_t leader)
{
    const struct group *group = &fusion->groups.items[number];
    bool ready = group->is_ahead == fusion->groups.items[leader].is_ahead;

    for (size_t n = 0; ready && n < group->count; n++)
        ready = is_ready(writer, fusion, &writer->graph.nodes.items[group->nodes[n]], leader);
    return ready;
}

/* The buffers that the node's kernel reads for it, counted without sharing. */
/* NOLINTNEXTLINE(misc-no-recursion): through the graph, which has no cycles */
static size_t loads_of(const struct writer *writer, const struct fusion *fusion,
                       const struct graph_node *node)
{
    size_t loads = 0;

    for (size_t i = 0; i < node->in_count; i++) {
        size_t in = node->in[i], group = fusion->group_of[in];
        bool is_inline = group != SIZE_MAX && !fusion->is_stored[in] &&
                         fusion->groups.items[group].family == FAMILY_MOVEMENT;

        loads += is_inline ? loads_of(writer, fusion, source_of(writer, in)) : 1;
    }
    return loads;
}

static size_t buffers_of(const struct writer *writer, const struct fusion *fusion, size_t number)
{
    const struct group *group = &fusion->groups.items[number];
    size_t buffers = 0;

    for (size_t n = 0; n < group->count; n++)
        buffers += 1 + loads_of(writer, fusion, &writer->graph.nodes.items[group->nodes[n]]);
    return buffers;
}

/* Move the nodes of a group from place `first` on to a new group behind it. */
static void divide(const struct writer *writer, struct fusion *fusion, size_t number, size_t first)
{
    struct group rest = fusion->groups.items[number];
    size_t after;

    rest.count -= first;
    memmove(rest.nodes, rest.nodes + first, rest.count * sizeof(*rest.nodes));
    fusion->groups.items[number].count = first;
    vec_push(&fusion->groups, rest);
    after = fusion->groups.count - number - 2;
    memmove(&fusion->groups.items[number + 2], &fusion->groups.items[number + 1],
            after * sizeof(rest));
    fusion->groups.items[number + 1] = rest;
    for (size_t v = 0; v < writer->graph.values.count; v++)
        fusion->group_of[v] += fusion->group_of[v] != SIZE_MAX && fusion->group_of[v] > number;
    for (size_t n = 0; n < rest.count; n++)
        fusion->group_of[writer->graph.nodes.items[rest.nodes[n]].out] = number + 1;
}

/*
 * Divide groups of movements behind each value that is stored, because the values after it read it
 * from memory: work-groups of one launch do not wait for each other.
 */
static void divide_at_stored(const struct writer *writer, struct fusion *fusion)
{
    for (size_t g = 0; g < fusion->groups.count; g++) {
        const struct group *group = &fusion->groups.items[g];
        size_t n = 0;

        if (group->family != FAMILY_MOVEMENT)
            continue;
        while (n < group->count &&
               !fusion->is_stored[writer->graph.nodes.items[group->nodes[n]].out])
            n++;
        if (n + 1 < group->count)
            divide(writer, fusion, g, n + 1);
    }
}

void fusion_horizontal_merge(const struct writer *writer, const struct schedule *schedule,
                             struct fusion *fusion)
{
    bool may_share = writer->dialect->warp && schedule->of[KNOB_GROUP] > 1;
    size_t leader = SIZE_MAX, buffers = 0;

    if (may_share)
        divide_at_stored(writer, fusion);
    for (size_t g = 0; g < fusion->groups.count; g++) {
        struct group *group = &fusion->groups.items[g];
        size_t own;

        group->kernel_group = g;
        if (!may_share || group->family != FAMILY_MOVEMENT || !fusion_has_kernel(writer, fusion, g))
            continue;
        own = buffers_of(writer, fusion, g);
        if (leader != SIZE_MAX && buffers + own <= GROUP_MAX_BUFFERS &&
            can_join(writer, fusion, g, leader)) {
            group->kernel_group = leader;
            buffers += own;
            continue;
        }
        leader = g;
        buffers = own;
    }
}
