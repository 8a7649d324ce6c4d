#include "core/agent/builtin/plan/fusion_cost.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/model/plan/dispatch.h"

/*
 * The most operations for an element: of a value with one reader, and of one that several readers
 * compute again; and the most places of values that are followed for it.
 */
enum { MAX_OPERATIONS = 256, MAX_REPEATED = 96, MAX_VISITS = 512 };

/*
 * The operations and loads for one element of a value, each counted once: what is computed at the
 * same place is shared. A place is told by the movements through which it is reached.
 */
struct cone {
    const struct writer *writer;
    const struct fusion *fusion;
    const size_t *makers; /* by value: the node that makes it, from 1 on; 0 for none */
    struct visit {
        size_t value;
        uint64_t place;
    } visits[MAX_VISITS];
    size_t count;
    size_t operations, loads; /* movements that are views cost nothing */
};

/* The effort of computing a value again at each use. */
struct effort {
    bool is_long; /* one of the operations is a reduction */
    size_t uses;
};

/* A concatenation of so many elements is stored for several readers. */
static const int64_t large = 1 << 16;

/* Sizes of axes are arguments too. */
_Static_assert(GROUP_MAX_BUFFERS + 3 * LAUNCH_MAX_RANK < LAUNCH_MAX_ARGS, "arguments of a kernel");

static size_t count_of(const struct value *values, size_t value)
{
    return (size_t)shape_elements(&values[value].shape);
}

static uint64_t place_after(uint64_t place, size_t step)
{
    return (place ^ (step + 1)) * 0x9e3779b97f4a7c15U;
}

static void add_visit(struct cone *cone, size_t value, uint64_t place)
{
    for (size_t i = 0; i < cone->count; i++)
        if (cone->visits[i].value == value && cone->visits[i].place == place)
            return;
    if (cone->count < MAX_VISITS)
        cone->visits[cone->count++] = (struct visit){value, place};
}

static bool is_computed(const struct cone *cone, size_t value)
{
    return fusion_is_movement(cone->fusion, value) && !cone->fusion->is_stored[value];
}

/* Visit the operands of node `n`, whose element at a place is computed. */
static void visit_operands(struct cone *cone, size_t n, uint64_t place)
{
    const struct graph_node *node = &cone->writer->graph.nodes.items[n];
    const struct value *values = cone->writer->graph.values.items;
    size_t count = count_of(values, node->out);

    for (size_t i = 0; i < node->in_count; i++) {
        bool is_here = node->op->kind == OP_ELEMENTWISE && count_of(values, node->in[i]) == count;

        add_visit(cone, node->in[i],
                  is_here ? place
                          : place_after(place, node->op->kind == OP_ELEMENTWISE
                                                   ? count_of(values, node->in[i])
                                                   : cone->writer->graph.values.count + n));
    }
}

/* Count a load from the value's buffer unless an earlier visit has. */
static void count_load(struct cone *cone, size_t number)
{
    size_t value = cone->visits[number].value;
    bool is_new = cone->writer->graph.values.items[value].role != TENSOR_CONSTANT;

    for (size_t i = 0; i < number; i++)
        is_new &= cone->visits[i].value != value;
    cone->loads += is_new;
}

/* Follow the operands of node `n`, or only operand `only` if it is one. */
static void cone_find(struct cone *cone, size_t n, size_t only)
{
    const struct graph_node *node = &cone->writer->graph.nodes.items[n];

    cone->count = cone->loads = 0;
    cone->operations = 1;
    if (only < node->in_count)
        add_visit(cone, node->in[only], 0);
    else
        visit_operands(cone, n, 0);
    for (size_t i = 0; i < cone->count; i++) {
        const struct visit visit = cone->visits[i];
        size_t maker = cone->makers[visit.value];

        if (!is_computed(cone, visit.value) || maker == 0) {
            count_load(cone, i);
            continue;
        }
        cone->operations += !cone->writer->graph.nodes.items[maker - 1].op->view;
        visit_operands(cone, maker - 1, visit.place);
    }
}

/* Store operands of a node that load most while its kernel would read too many buffers. */
static void settle_loads(struct cone *cone, struct fusion *fusion, size_t n)
{
    const struct graph_node *node = &cone->writer->graph.nodes.items[n];

    for (;;) {
        size_t most = 1, widest = 0;

        cone_find(cone, n, SIZE_MAX);
        if (cone->loads <= GROUP_MAX_BUFFERS)
            return;
        for (size_t i = 0; i < node->in_count; i++) {
            cone_find(cone, n, i);
            widest = cone->loads > most ? i : widest;
            most = cone->loads > most ? cone->loads : most;
        }
        if (most == 1)
            return;
        fusion->is_stored[node->in[widest]] = true;
    }
}

static void add_effort(struct cone *cone, const struct schedule *schedule, struct fusion *fusion,
                       struct effort *efforts, size_t n)
{
    const struct writer *writer = cone->writer;
    const struct graph_node *node = &writer->graph.nodes.items[n];
    struct effort *effort = &efforts[node->out];
    size_t axis;
    bool is_stack = schedule->of[KNOB_GROUP] > 1 && fusion_stack_axis(writer, node->out, &axis);
    int64_t count = shape_elements(&writer->graph.values.items[node->out].shape);

    settle_loads(cone, fusion, n);
    effort->is_long = node->op->kind == OP_REDUCTION;
    for (size_t i = 0; i < node->in_count; i++) {
        size_t in = node->in[i];

        if (!fusion_is_movement(fusion, in) || fusion->is_stored[in])
            continue;
        if (!is_stack && efforts[in].is_long &&
            (shape_elements(&writer->graph.values.items[in].shape) < count ||
             efforts[in].uses > 1 || node->op->kind == OP_REDUCTION)) {
            fusion->is_stored[in] = true;
            continue;
        }
        effort->is_long |= efforts[in].is_long;
    }
    cone_find(cone, n, SIZE_MAX);
    if (cone->operations > (effort->uses > 1 ? MAX_REPEATED : MAX_OPERATIONS) ||
        cone->count == MAX_VISITS ||
        (strcmp(node->op->name, "concat") == 0 && effort->uses > 1 && count >= large))
        fusion->is_stored[node->out] = true;
}

void fusion_mark_costly(const struct writer *writer, const struct schedule *schedule,
                        struct fusion *fusion)
{
    const struct graph *graph = &writer->graph;
    struct effort *efforts = mem_alloc_zeroed(graph->values.count + 1, sizeof(*efforts));
    size_t *makers = mem_alloc_zeroed(graph->values.count + 1, sizeof(*makers));
    struct cone *cone = mem_alloc_zeroed(1, sizeof(*cone));

    *cone = (struct cone){.writer = writer, .fusion = fusion, .makers = makers};
    for (size_t n = 0; n < graph->nodes.count; n++) {
        makers[graph->nodes.items[n].out] = n + 1;
        for (size_t i = 0; i < graph->nodes.items[n].in_count; i++)
            efforts[graph->nodes.items[n].in[i]].uses++;
    }
    for (size_t n = 0; n < graph->nodes.count; n++)
        if (fusion_is_movement(fusion, graph->nodes.items[n].out))
            add_effort(cone, schedule, fusion, efforts, n);
    free(cone);
    free(makers);
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
