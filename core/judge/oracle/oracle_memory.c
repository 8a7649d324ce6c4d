#include "core/judge/oracle/oracle_memory.h"

#include <stdlib.h>

#include "core/base/mem.h"

size_t *oracle_last_uses(const struct graph *graph)
{
    size_t *last = mem_alloc_zeroed(graph->values.count + 1, sizeof(*last));

    for (size_t n = 0; n < graph->nodes.count; n++)
        for (size_t i = 0; i < graph->nodes.items[n].in_count; i++)
            last[graph->nodes.items[n].in[i]] = n;
    return last;
}

static double bytes_of(const struct graph *graph, size_t value)
{
    return (double)sizeof(double) * (double)shape_elements(&graph->values.items[value].shape);
}

/*
 * The bytes of operands that no later node reads; one that occurs twice is counted once. Tensors
 * stay.
 */
static double bytes_used_up(const struct graph *graph, const size_t *last_uses, size_t node)
{
    const struct graph_node *done = &graph->nodes.items[node];
    double bytes = 0;

    for (size_t i = 0; i < done->in_count; i++) {
        enum tensor_role role = graph->values.items[done->in[i]].role;
        size_t first = 0;

        while (done->in[first] != done->in[i])
            first++;
        if (first == i && last_uses[done->in[i]] == node && role != TENSOR_OUTPUT &&
            !tensor_is_given(role))
            bytes += bytes_of(graph, done->in[i]);
    }
    return bytes;
}

double oracle_bytes(const struct graph *graph)
{
    size_t *last_uses = oracle_last_uses(graph);
    double bytes = 0, most;

    for (size_t i = 0; i < graph->values.count; i++)
        if (tensor_is_given(graph->values.items[i].role))
            bytes += bytes_of(graph, i);
    most = bytes;
    for (size_t n = 0; n < graph->nodes.count; n++) {
        bytes += bytes_of(graph, graph->nodes.items[n].out);
        most = bytes > most ? bytes : most;
        bytes -= bytes_used_up(graph, last_uses, n);
    }
    free(last_uses);
    return most;
}
