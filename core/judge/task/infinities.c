#include "core/judge/task/infinities.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"

static bool is_one_of(const struct graph_node *node, const char *const *names)
{
    for (size_t i = 0; names[i]; i++)
        if (strcmp(node->op->name, names[i]) == 0)
            return true;
    return false;
}

/* True if the elements of a given tensor are whole numbers, so that some are exactly 0. */
static bool is_given_whole(const struct value *value)
{
    return tensor_is_given(value->role) &&
           (value->fill.kind == FILL_MASK || value->fill.kind == FILL_INTEGERS ||
            value->fill.kind == FILL_CONSTANT || value->fill.kind == FILL_PERMUTATION);
}

/* True if the result has whole numbers if its operands have. */
static bool keeps_whole(const struct graph *graph, const struct graph_node *node)
{
    static const char *const names[] = {"cast",  "sum",     "cumsum",  "max", "min",
                                        "add",   "sub",     "mul",     "abs", "neg",
                                        "where", "minimum", "maximum", NULL};

    return !dtype_is_float(graph->values.items[node->out].dtype) || node->op->kind == OP_MOVEMENT ||
           is_one_of(node, names);
}

/* True if the operation makes infinities of exact zeros. */
static bool has_poles(const struct graph_node *node)
{
    static const char *const names[] = {"log", "rsqrt", "div", NULL};

    return is_one_of(node, names);
}

/* True if finite operands may exceed the range of a type, so that kernels need not agree. */
static bool may_overflow(const struct graph_node *node)
{
    static const char *const names[] = {"exp", "pow", "prod", "cumprod", NULL};

    return is_one_of(node, names);
}

static void see_node(const struct graph *graph, const struct graph_node *node, bool *whole,
                     bool *infinite)
{
    size_t last = node->in[node->in_count - 1], out = node->out;

    whole[out] = keeps_whole(graph, node);
    for (size_t i = 0; i < node->in_count; i++) {
        whole[out] &= whole[node->in[i]];
        infinite[out] |= infinite[node->in[i]];
    }
    infinite[out] |= has_poles(node) && whole[last];
    infinite[out] &= !may_overflow(node);
}

bool *infinities_of(const struct graph *graph)
{
    size_t count = graph->values.count;
    bool *infinite = mem_alloc_zeroed(count + 1, sizeof(*infinite));
    bool *whole = mem_alloc_zeroed(count + 1, sizeof(*whole));

    for (size_t i = 0; i < count; i++)
        whole[i] = is_given_whole(&graph->values.items[i]) ||
                   graph->values.items[i].role == TENSOR_CONSTANT;
    for (size_t n = 0; n < graph->nodes.count; n++)
        see_node(graph, &graph->nodes.items[n], whole, infinite);
    free(whole);
    return infinite;
}
