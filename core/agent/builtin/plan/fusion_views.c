#include "core/agent/builtin/plan/fusion_views.h"

#include <string.h>

#include "core/base/array.h"

/* True if the operation's result has the operand's elements in the same order. */
static bool is_reshape(const struct graph_node *node)
{
    static const char *const names[] = {"reshape", "squeeze", "unsqueeze", "flatten"};

    for (size_t i = 0; i < COUNT(names); i++)
        if (strcmp(node->op->name, names[i]) == 0)
            return true;
    return false;
}

/* True if the value is a buffer that earlier kernels have written, or a tensor of the problem. */
static bool is_in_memory(const struct writer *writer, const struct fusion *fusion, size_t value)
{
    enum tensor_role role = writer->graph.values.items[value].role;

    return role == TENSOR_INPUT || role == TENSOR_PARAM ||
           (fusion->group_of[value] != SIZE_MAX && fusion->is_stored[value]);
}

void fusion_find_views(const struct writer *writer, struct fusion *fusion)
{
    for (size_t n = 0; n < writer->graph.nodes.count; n++) {
        const struct graph_node *node = &writer->graph.nodes.items[n];
        const struct value *out = &writer->graph.values.items[node->out];
        size_t in = node->in_count ? node->in[0] : SIZE_MAX;

        if (is_reshape(node) && out->role == TENSOR_INNER && fusion->is_stored[node->out] &&
            fusion_is_movement(fusion, node->out) &&
            fusion->groups.items[fusion->group_of[node->out]].count == 1 &&
            writer->graph.values.items[in].dtype == out->dtype && is_in_memory(writer, fusion, in))
            fusion->view_of[node->out] = fusion->view_of[in] == SIZE_MAX ? in : fusion->view_of[in];
    }
}
