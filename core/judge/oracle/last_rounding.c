#include "core/judge/oracle/last_rounding.h"

#include "core/judge/oracle/oracle_family.h"

/* The number of operands that are the value; `user` is the last node that has one. */
static size_t count_uses(const struct graph *graph, size_t index, const struct graph_node **user)
{
    size_t uses = 0;

    for (size_t n = 0; n < graph->nodes.count; n++)
        for (size_t i = 0; i < graph->nodes.items[n].in_count; i++)
            if (graph->nodes.items[n].in[i] == index) {
                *user = &graph->nodes.items[n];
                uses++;
            }
    return uses;
}

bool last_rounding_is(const struct graph *graph, size_t index, const struct rounding *rounding)
{
    enum dtype dtype = graph->values.items[index].dtype;

    if (rounding->is_mixed || !dtype_is_float(dtype) || dtype_bytes(dtype) != 2)
        return false;
    for (;;) {
        const struct value *value = &graph->values.items[index];
        const struct graph_node *user = NULL;
        size_t uses = count_uses(graph, index, &user);
        const struct oracle_rule *rule = user ? oracle_rule_of(user->op->name) : NULL;

        if (uses == 0 || value->role == TENSOR_OUTPUT)
            return uses == 0 && value->role == TENSOR_OUTPUT && value->dtype == dtype;
        if (uses > 1 || !rule || !rule->keeps_elements)
            return false;
        index = user->out;
    }
}
