#include "core/agent/builtin/plan/fusion_cost.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/model/plan/dispatch.h"

/* The cost of computing a value again at each use. */
struct effort {
    size_t weight; /* the operations for one element, counted without sharing */
    bool is_long;  /* one of them is a reduction */
    size_t uses;
    size_t loads; /* buffers that its kernel reads, counted without sharing */
};

enum { MAX_WEIGHT = 64 };

/* A concatenation of so many elements is stored for several readers. */
static const int64_t large = 1 << 16;

/* Sizes of axes are arguments too. */
_Static_assert(GROUP_MAX_BUFFERS + 3 * LAUNCH_MAX_RANK < LAUNCH_MAX_ARGS, "arguments of a kernel");

static size_t operand_loads(const struct fusion *fusion, const struct effort *efforts, size_t value)
{
    return fusion_is_movement(fusion, value) && !fusion->is_stored[value] ? efforts[value].loads
                                                                          : 1;
}

/* Count the buffers that the node reads, and store operands that read most while there are too
 * many. */
static size_t settle_loads(struct fusion *fusion, const struct effort *efforts,
                           const struct graph_node *node)
{
    for (;;) {
        size_t loads = 0, most = 1, widest = 0;

        for (size_t i = 0; i < node->in_count; i++) {
            size_t own = operand_loads(fusion, efforts, node->in[i]);

            loads += own;
            widest = own > most ? i : widest;
            most = own > most ? own : most;
        }
        if (loads <= GROUP_MAX_BUFFERS || most == 1)
            return loads;
        fusion->is_stored[node->in[widest]] = true;
    }
}

static void add_effort(const struct writer *writer, const struct schedule *schedule,
                       struct fusion *fusion, struct effort *efforts, const struct graph_node *node)
{
    struct effort *effort = &efforts[node->out];
    size_t axis;
    bool is_stack = schedule->of[KNOB_GROUP] > 1 && fusion_stack_axis(writer, node->out, &axis);
    int64_t count = shape_elements(&writer->graph.values.items[node->out].shape);

    effort->weight = 1;
    effort->loads = settle_loads(fusion, efforts, node);
    effort->is_long = node->op->kind == OP_REDUCTION;
    for (size_t i = 0; i < node->in_count; i++) {
        size_t in = node->in[i];
        bool is_double = node->op->kind == OP_ATTENTION && i == 0;

        if (!fusion_is_movement(fusion, in) || fusion->is_stored[in])
            continue;
        if (!is_stack && efforts[in].is_long &&
            (shape_elements(&writer->graph.values.items[in].shape) < count ||
             efforts[in].uses > 1 || node->op->kind == OP_REDUCTION)) {
            fusion->is_stored[in] = true;
            continue;
        }
        effort->weight += (is_double ? 2 : 1) * efforts[in].weight;
        effort->is_long |= efforts[in].is_long;
    }
    if (effort->weight > MAX_WEIGHT ||
        (strcmp(node->op->name, "concat") == 0 && effort->uses > 1 && count >= large))
        fusion->is_stored[node->out] = true;
}

void fusion_mark_costly(const struct writer *writer, const struct schedule *schedule,
                        struct fusion *fusion)
{
    const struct graph *graph = &writer->graph;
    struct effort *efforts = mem_alloc_zeroed(graph->values.count + 1, sizeof(*efforts));

    for (size_t n = 0; n < graph->nodes.count; n++)
        for (size_t i = 0; i < graph->nodes.items[n].in_count; i++)
            efforts[graph->nodes.items[n].in[i]].uses++;
    for (size_t n = 0; n < graph->nodes.count; n++)
        if (fusion_is_movement(fusion, graph->nodes.items[n].out))
            add_effort(writer, schedule, fusion, efforts, &graph->nodes.items[n]);
    free(efforts);
}

/* The elements of the values that the group reads from others, counted without sharing. */
static int64_t elements_read(const struct writer *writer, const struct fusion *fusion,
                             size_t number)
{
    const struct group *group = &fusion->groups.items[number];
    int64_t elements = 0;

    for (size_t n = 0; n < group->count; n++) {
        const struct graph_node *node = &writer->graph.nodes.items[group->nodes[n]];

        for (size_t i = 0; i < node->in_count; i++)
            if (fusion->group_of[node->in[i]] != number)
                elements += shape_elements(&writer->graph.values.items[node->in[i]].shape);
    }
    return elements;
}

/* NOLINTNEXTLINE(misc-no-recursion): through the graph, which has no cycles */
void fusion_inline_elements(const struct writer *writer, struct fusion *fusion, size_t number)
{
    enum { FEWER = 4 };
    struct group *group = &fusion->groups.items[number];

    group->family = FAMILY_MOVEMENT;
    for (size_t n = 0; n < group->count; n++) {
        const struct graph_node *node = &writer->graph.nodes.items[group->nodes[n]];

        for (size_t i = 0; i < node->in_count; i++) {
            size_t in = node->in[i], from = fusion->group_of[in];

            if (from != SIZE_MAX && fusion->groups.items[from].family == FAMILY_ELEMENTWISE &&
                fusion->groups.items[from].is_ahead == group->is_ahead &&
                elements_read(writer, fusion, from) * FEWER <=
                    shape_elements(&writer->graph.values.items[in].shape))
                fusion_inline_elements(writer, fusion, from);
        }
    }
}
