#include "core/agent/builtin/plan/fusion_group.h"

#include <stdlib.h>
#include <string.h>

#include "core/agent/builtin/plan/family.h"
#include "core/base/vec.h"

static size_t rank_of(const struct writer *writer, size_t value)
{
    return writer->graph.values.items[value].shape.rank;
}

enum span fusion_span(const struct writer *writer, size_t value, size_t space, unsigned axes)
{
    size_t rank = rank_of(writer, value), space_rank = rank_of(writer, space);
    bool is_all = true, is_one = true;

    for (size_t axis = 0; axis < space_rank; axis++) {
        bool is_absent = axis + rank < space_rank;
        size_t own = axis + rank - space_rank;

        if (!(axes >> axis & 1))
            continue;
        is_all &= is_absent ? strcmp(writer->extents.of[space][axis], "1") == 0
                            : writer_same_size(writer, value, own, space, axis);
        is_one &= is_absent || strcmp(writer->extents.of[value][own], "1") == 0;
    }
    if (is_all)
        return SPAN_ALL;
    return is_one ? SPAN_ONE : SPAN_OTHER;
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
    return (struct axes){group->has_batch, rank_of(writer, group->space) - group->column_axes};
}

unsigned group_column_bits(const struct writer *writer, const struct group *group)
{
    return axes_bits(group_columns(writer, group)) | (group->has_batch ? 1U : 0U);
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
    free(fusion->converted_for);
    free(fusion->is_rounded);
    free(fusion->view_of);
    *fusion = (struct fusion){0};
}

bool fusion_has_kernel(const struct writer *writer, const struct fusion *fusion, size_t number)
{
    const struct group *group = &fusion->groups.items[number];

    for (size_t n = 0; group->kernel_group == number && n < group->count; n++) {
        size_t out = writer->graph.nodes.items[group->nodes[n]].out;

        if ((fusion->is_stored[out] && fusion->view_of[out] == SIZE_MAX) ||
            fusion->converted_for[out] != SIZE_MAX)
            return true;
    }
    return group->writes_partials || group->writes_columns;
}

unsigned fusion_families(const struct fusion *fusion)
{
    unsigned families = 0;

    for (size_t i = 0; i < fusion->groups.count; i++)
        families |= (unsigned)fusion->groups.items[i].family |
                    (fusion->groups.items[i].slices ? FAMILY_SLICES : 0U);
    return families;
}

const struct graph_node *fusion_scan_node_of(const struct writer *writer, size_t value)
{
    for (size_t n = 0; n < writer->graph.nodes.count; n++)
        if (writer->graph.nodes.items[n].out == value)
            return &writer->graph.nodes.items[n];
    return NULL;
}

static struct op_call call_of(const struct writer *writer, const struct graph_node *node)
{
    return graph_call(&writer->graph, (size_t)(node - writer->graph.nodes.items));
}

/* True if the reduction is along one axis of few elements, which is not the last. */
static bool is_short(const struct writer *writer, const struct graph_node *node, size_t *axis)
{
    enum { MOST = 64 };
    const struct op_call call = call_of(writer, node);
    unsigned axes = node->op->kind == OP_REDUCTION ? call.op->axes(&call) : 0;

    if (__builtin_popcount(axes) != 1 || call.out->shape.rank != call.in[0]->shape.rank ||
        !family_is_f32(&call))
        return false;
    *axis = (size_t)__builtin_ctz(axes);
    return *axis + 1 < call.in[0]->shape.rank && call.in[0]->shape.dims[*axis] > 1 &&
           call.in[0]->shape.dims[*axis] <= MOST && writer->extents.is_fixed[node->in[0]][*axis];
}

/* A search from a value back through elementwise operations. */
struct search {
    const struct writer *writer;
    size_t like;   /* whose shape the wanted reduction's operand has */
    bool *is_seen; /* by value: a graph has far more paths than values */
};

/* Find a reduction of such a shape whose result nothing else reads; false if there is none. */
/* NOLINTNEXTLINE(misc-no-recursion): through the graph, which has no cycles */
static bool finds_short(struct search *search, size_t value, size_t *axis)
{
    const struct writer *writer = search->writer;
    const struct graph_node *node = fusion_scan_node_of(writer, value);

    if (!node || search->is_seen[value])
        return false;
    search->is_seen[value] = true;
    if (node->op->kind == OP_REDUCTION)
        return fusion_scan_is_private(writer, value) &&
               writer_same_shape(writer, node->in[0], search->like) && is_short(writer, node, axis);
    for (size_t i = 0; node->op->kind == OP_ELEMENTWISE && i < node->in_count; i++)
        if (finds_short(search, node->in[i], axis))
            return true;
    return false;
}

bool fusion_stack_axis(const struct writer *writer, size_t value, size_t *axis)
{
    const struct graph_node *node = fusion_scan_node_of(writer, value);
    const struct op_call call = node ? call_of(writer, node) : (struct op_call){0};
    struct search search = {writer, value, NULL};
    bool found;

    if (!node || node->op->kind != OP_ELEMENTWISE || !family_is_f32(&call))
        return false;
    search.is_seen = mem_alloc_zeroed(writer->graph.values.count, sizeof(*search.is_seen));
    found = finds_short(&search, value, axis);
    free(search.is_seen);
    return found;
}

bool group_reads(const struct writer *writer, const struct group *group, size_t value)
{
    for (size_t n = 0; n < group->count; n++) {
        const struct graph_node *node = &writer->graph.nodes.items[group->nodes[n]];

        for (size_t i = 0; i < node->in_count; i++)
            if (node->in[i] == value)
                return true;
    }
    return false;
}

size_t fusion_buffers(const struct writer *writer, const struct fusion *fusion, size_t number)
{
    const struct graph *graph = &writer->graph;
    bool *is_buffer = mem_alloc_zeroed(graph->values.count, sizeof(*is_buffer));
    size_t buffers = 0;

    for (size_t n = 0; n < graph->nodes.count; n++) {
        const struct graph_node *node = &graph->nodes.items[n];
        bool is_inside = fusion->group_of[node->out] == number;

        for (size_t i = 0; i < node->in_count; i++)
            if ((fusion->group_of[node->in[i]] == number) != is_inside &&
                graph->values.items[node->in[i]].role != TENSOR_CONSTANT) {
                buffers += !is_buffer[node->in[i]];
                is_buffer[node->in[i]] = true;
            }
    }
    free(is_buffer);
    return buffers;
}

bool fusion_is_read_between(const struct writer *writer, const struct fusion *fusion, size_t from,
                            size_t to)
{
    for (size_t g = from + 1; g < to; g++)
        for (size_t v = 0; v < writer->graph.values.count; v++)
            if (fusion->group_of[v] == from && group_reads(writer, &fusion->groups.items[g], v))
                return true;
    return false;
}

bool fusion_shares_rows(const struct writer *writer, const struct fusion *fusion, size_t a,
                        size_t b)
{
    const struct group *one = &fusion->groups.items[a], *other = &fusion->groups.items[b];

    if (one->family != FAMILY_ROWWISE || other->family != FAMILY_ROWWISE || one->parts ||
        other->parts || one->column_axes != other->column_axes ||
        one->has_batch != other->has_batch || one->is_ahead != other->is_ahead ||
        one->count + other->count >= GROUP_MAX_FUSED ||
        !writer_same_shape(writer, one->space, other->space))
        return false;
    for (size_t v = 0; v < writer->graph.values.count; v++)
        if (fusion->group_of[v] != a && fusion->group_of[v] != b &&
            writer_same_shape(writer, v, one->space) && group_reads(writer, one, v) &&
            group_reads(writer, other, v))
            return true;
    return false;
}

bool fusion_scan_is_inlining(const struct writer *writer, const struct graph_node *node)
{
    struct op_call call = call_of(writer, node);

    return family_of(writer, node, &call) == FAMILY_SCAN &&
           call.op->axes(&call) == 1U << (call.out->shape.rank - 1);
}

bool fusion_scan_is_private(const struct writer *writer, size_t value)
{
    size_t uses = 0;

    for (size_t n = 0; n < writer->graph.nodes.count; n++)
        for (size_t i = 0; i < writer->graph.nodes.items[n].in_count; i++)
            uses += writer->graph.nodes.items[n].in[i] == value;
    return uses == 1 && writer->graph.values.items[value].role == TENSOR_INNER;
}

/* True if the node reverses the last axis. */
static bool is_reversal(const struct writer *writer, const struct graph_node *node)
{
    struct op_call call;

    if (!node || strcmp(node->op->name, "slice") != 0)
        return false;
    call = call_of(writer, node);
    return call_axis(&call, "dim", 0) + 1 == call.out->shape.rank &&
           op_attribute(&call, "step")->integers[0] == -1 &&
           writer_same_shape(writer, node->in[0], node->out);
}

/* True if the node puts one element per row before the rows of the scan's result. */
static bool is_shift(const struct writer *writer, const struct graph_node *node, size_t scanned)
{
    struct op_call call = call_of(writer, node);
    size_t last = call.out->shape.rank - 1;

    return strcmp(node->op->name, "concat") == 0 && node->in_count == 2 && node->in[1] == scanned &&
           node->in[0] != scanned && call_axis(&call, "dim", 0) == last &&
           call.in[0]->dtype == call.out->dtype && call.in[0]->role != TENSOR_CONSTANT &&
           strcmp(writer->extents.of[node->in[0]][last], "1") == 0;
}

bool fusion_scan_takes(const struct writer *writer, const struct fusion *fusion, size_t number,
                       const struct graph_node *node)
{
    const struct group *group = &fusion->groups.items[number];
    const struct graph_node *scan = &writer->graph.nodes.items[group->nodes[0]];

    if (group->family != FAMILY_SCAN || group->count != 1 ||
        !fusion_scan_is_inlining(writer, scan) || !fusion_scan_is_private(writer, scan->out))
        return false;
    if (is_shift(writer, node, scan->out))
        return fusion->group_of[node->in[0]] == SIZE_MAX || fusion->group_of[node->in[0]] < number;
    return is_reversal(writer, node) && fusion_scan_is_private(writer, scan->in[0]) &&
           is_reversal(writer, fusion_scan_node_of(writer, scan->in[0]));
}
