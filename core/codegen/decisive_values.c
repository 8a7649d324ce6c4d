#include "core/codegen/decisive_values.h"

#include <math.h>

#include "core/base/mem.h"

static bool is_float(const struct graph *graph, size_t value)
{
    return dtype_is_float(graph->values.items[value].dtype);
}

/* For each value that is no float, true if floats are computed from it. The caller frees. */
static bool *find_applied(const struct graph *graph)
{
    bool *applied = mem_alloc_zeroed(graph->values.count + 1, sizeof(*applied));

    for (size_t n = graph->nodes.count; n-- > 0;) {
        const struct graph_node *node = &graph->nodes.items[n];

        for (size_t i = 0; i < node->in_count; i++)
            applied[node->in[i]] |= is_float(graph, node->out) || applied[node->out];
    }
    return applied;
}

static bool is_infinite(const struct value *value)
{
    return value->role == TENSOR_CONSTANT && isinf(value->fill.a);
}

/* True if the operation turns floats into something that changes by steps. */
static bool decides(const struct graph *graph, size_t index)
{
    const struct graph_node *node = &graph->nodes.items[index];
    bool takes_float = false;

    for (size_t i = 0; i < node->in_count; i++) {
        takes_float |= is_float(graph, node->in[i]);
        if (is_infinite(&graph->values.items[node->in[i]]))
            return false;
    }
    if (node->in_count == 2 && node->in[0] == node->in[1])
        return false;
    return takes_float && graph_makes_steps(graph, index);
}

bool *decisive_values_of(const struct graph *graph)
{
    bool *applied = find_applied(graph);
    bool *found = mem_alloc_zeroed(graph->values.count + 1, sizeof(*found));

    for (size_t n = graph->nodes.count; n-- > 0;) {
        const struct graph_node *node = &graph->nodes.items[n];
        bool is_found = found[node->out] || (applied[node->out] && decides(graph, n));

        for (size_t i = 0; is_found && i < node->in_count; i++)
            found[node->in[i]] |= is_float(graph, node->in[i]) || found[node->out];
    }
    free(applied);
    return found;
}
