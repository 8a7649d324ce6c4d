#include <stdlib.h>

#include "core/base/mem.h"
#include "core/judge/oracle/variation.h"
#include "core/judge/task/varied_data.h"

/*
 * Mark the values that products multiply with others, directly or after movements. Winograd's inner
 * products add elements of both, and lose the digits of the smaller ones.
 */
static bool *find_factors(const struct graph *graph)
{
    bool *factors = mem_alloc_zeroed(graph->values.count + 1, sizeof(*factors));
    size_t *moved = mem_alloc_zeroed(graph->values.count + 1, sizeof(*moved));

    for (size_t i = 0; i < graph->values.count; i++)
        moved[i] = i;
    for (size_t n = 0; n < graph->nodes.count; n++) {
        const struct graph_node *node = &graph->nodes.items[n];
        size_t a;

        if (node->in_count == 0)
            continue;
        a = moved[node->in[0]];

        if (node->op->kind == OP_MOVEMENT)
            moved[node->out] = a;
        if ((node->op->kind == OP_PRODUCT || node->op->kind == OP_CONVOLUTION) &&
            a != moved[node->in[1]])
            factors[a] = factors[moved[node->in[1]]] = true;
    }
    free(moved);
    return factors;
}

size_t varied_data_alone(const struct graph *graph, size_t **list)
{
    bool *factors = find_factors(graph);
    size_t count = 0;

    *list = mem_alloc_zeroed(graph->values.count + 1, sizeof(**list));
    for (size_t i = 0; i < graph->values.count; i++)
        if (tensor_is_given(graph->values.items[i].role) && !factors[i] &&
            variation_applies(VARIATION_ALONE, &graph->values.items[i]))
            (*list)[count++] = i;
    free(factors);
    return count;
}
