#include "core/judge/task/infinities.h"

#include <stdlib.h>

#include "core/base/mem.h"
#include "core/judge/oracle/edge/whole_numbers.h"

/* True if the operation makes infinities of exact zeros. */
static bool has_poles(const struct graph_node *node)
{
    static const char *const names[] = {"log", "rsqrt", "div", NULL};

    return op_is_one_of(node->op, names);
}

/* True if finite operands may exceed the range of a type, so that kernels need not agree. */
static bool may_overflow(const struct graph_node *node)
{
    static const char *const names[] = {"exp", "pow", "prod", "cumprod", NULL};

    return op_is_one_of(node->op, names);
}

static void see_node(const struct graph_node *node, const bool *whole, bool *infinite)
{
    size_t last = node->in[node->in_count - 1], out = node->out;

    for (size_t i = 0; i < node->in_count; i++)
        infinite[out] |= infinite[node->in[i]];
    infinite[out] |= has_poles(node) && whole[last];
    infinite[out] &= !may_overflow(node);
}

bool *infinities_of(const struct graph *graph)
{
    size_t count = graph->values.count;
    bool *infinite = mem_alloc_zeroed(count + 1, sizeof(*infinite));
    bool *whole = whole_numbers_of(graph);

    for (size_t n = 0; n < graph->nodes.count; n++)
        see_node(&graph->nodes.items[n], whole, infinite);
    free(whole);
    return infinite;
}
