#include "core/agent/builtin/plan/fusion_horizontal.h"

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

void fusion_horizontal_merge(const struct writer *writer, const struct schedule *schedule,
                             struct fusion *fusion)
{
    bool may_share = writer->dialect->warp && schedule->of[KNOB_GROUP] > 1;
    size_t leader = SIZE_MAX;

    for (size_t g = 0; g < fusion->groups.count; g++) {
        struct group *group = &fusion->groups.items[g];

        group->kernel_group = g;
        if (!may_share || group->family != FAMILY_MOVEMENT || !fusion_has_kernel(writer, fusion, g))
            continue;
        if (leader != SIZE_MAX && can_join(writer, fusion, g, leader))
            group->kernel_group = leader;
        else
            leader = g;
    }
}
