#include "core/judge/task/exactness.h"

#include <stdlib.h>

#include "core/base/mem.h"

bool exactness_is_selection(const struct graph_node *node)
{
    static const char *const names[] = {"max",
                                        "min",
                                        "argmax",
                                        "argmin",
                                        "max_pool1d",
                                        "max_pool2d",
                                        "max_pool3d",
                                        "adaptive_max_pool1d",
                                        "adaptive_max_pool2d",
                                        "adaptive_max_pool3d",
                                        NULL};

    return op_is_one_of(node->op, names);
}

/* True if each float result is an element of an operand, except perhaps for its sign. */
static bool keeps_bits(const struct graph_node *node)
{
    static const char *const names[] = {"abs",     "neg",     "sign",  "relu", "clamp",
                                        "minimum", "maximum", "where", NULL};

    return node->op->kind == OP_MOVEMENT || exactness_is_selection(node) ||
           op_is_one_of(node->op, names);
}

static bool is_computed_exactly(const struct graph *graph, const struct graph_node *node,
                                const bool *exact)
{
    bool is_exact = !dtype_is_float(graph->values.items[node->out].dtype) || keeps_bits(node);

    for (size_t i = 0; i < node->in_count; i++)
        is_exact &= exact[node->in[i]];
    return is_exact;
}

/* Flag the values that no operation rounds. The caller frees the array. */
static bool *find_unrounded(const struct graph *graph)
{
    size_t count = graph->values.count;
    bool *exact = mem_alloc_zeroed(count + 1, sizeof(*exact));

    for (size_t i = 0; i < count; i++) {
        enum tensor_role role = graph->values.items[i].role;

        exact[i] = tensor_is_given(role) || role == TENSOR_CONSTANT;
    }
    for (size_t n = 0; n < graph->nodes.count; n++)
        exact[graph->nodes.items[n].out] =
            is_computed_exactly(graph, &graph->nodes.items[n], exact);
    return exact;
}

bool *exactness_of(const struct graph *graph)
{
    bool *exact = find_unrounded(graph);

    for (size_t i = 0; i < graph->values.count; i++)
        exact[i] &= !dtype_is_float(graph->values.items[i].dtype);
    return exact;
}

bool exactness_has_graph(const struct graph *graph)
{
    bool *exact = find_unrounded(graph), has_all = graph->nodes.count > 0;

    for (size_t i = 0; i < graph->values.count; i++)
        has_all &= graph->values.items[i].role != TENSOR_OUTPUT || exact[i];
    free(exact);
    return has_all;
}
