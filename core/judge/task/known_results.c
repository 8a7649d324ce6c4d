#include "core/judge/task/known_results.h"

static size_t count_of(const struct graph *graph, size_t node)
{
    return (size_t)shape_elements(&graph->values.items[graph->nodes.items[node].out].shape);
}

bool known_results_may_be(const struct graph *graph, size_t node)
{
    const struct graph_node *place = &graph->nodes.items[node];
    const struct value *result = &graph->values.items[place->out];

    return place->op->kind == OP_REDUCTION && dtype_is_float(result->dtype) &&
           result->role == TENSOR_INNER && count_of(graph, node) > 1;
}

void known_results_take_given(const struct graph *graph, struct oracle_values *from,
                              struct oracle_values *to)
{
    for (size_t i = 0; i < graph->values.count; i++) {
        if (!tensor_is_given(graph->values.items[i].role))
            continue;
        to->items[i] = from->items[i];
        from->items[i] = NULL;
    }
}

struct replacement {
    const struct graph *graph;
    size_t node;
    double number;
};

/*
 * An observer for oracle_observe() that replaces the results of the node as soon as they are
 * computed.
 */
static void replace(void *data, const struct oracle_values *values, size_t node)
{
    struct replacement *r = data;
    size_t count = count_of(r->graph, node);
    double *results = values->items[r->graph->nodes.items[node].out];

    if (node != r->node)
        return;
    r->number = 0;
    for (size_t i = 0; i < count; i++)
        r->number += results[i] / (double)count;
    for (size_t i = 0; i < count; i++)
        results[i] = r->number;
}

enum status known_results_evaluate(const struct graph *graph, size_t node,
                                   struct oracle_values *values, double *number, struct error *err)
{
    struct replacement replacement = {graph, node, 0};
    const struct oracle_observer observer = {replace, &replacement};
    enum status st = oracle_observe(graph, NULL, &observer, values, err);

    if (!st)
        *number = replacement.number;
    return st;
}
