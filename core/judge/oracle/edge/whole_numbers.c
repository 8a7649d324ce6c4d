#include "core/judge/oracle/edge/whole_numbers.h"

#include <math.h>
#include <string.h>

#include "core/base/mem.h"

/* True if the elements of a tensor that is given, or of a constant, are whole numbers. */
static bool is_given_whole(const struct value *value)
{
    if (value->role == TENSOR_CONSTANT || value->fill.kind == FILL_CONSTANT)
        return value->fill.a == rint(value->fill.a);
    return value->fill.kind == FILL_MASK || value->fill.kind == FILL_INTEGERS ||
           value->fill.kind == FILL_PERMUTATION;
}

/* True if the result has whole numbers if its operands have. */
static bool keeps_whole(const struct graph *graph, const struct graph_node *node)
{
    static const char *const names[] = {"cast",  "sum",     "cumsum",  "max", "min",
                                        "add",   "sub",     "mul",     "abs", "neg",
                                        "where", "minimum", "maximum", NULL};
    static const char *const products[] = {"matmul", "linear", "conv1d", "conv2d", "conv3d", NULL};
    bool is_double = graph->values.items[node->out].dtype == DTYPE_F64;

    return op_is_one_of(node->op, names) || (is_double && op_is_one_of(node->op, products)) ||
           !dtype_is_float(graph->values.items[node->out].dtype) || node->op->kind == OP_MOVEMENT;
}

/* Mark the results that have whole numbers if their operands have. */
static void follow(const struct graph *graph, bool only_double, bool *whole)
{
    for (size_t n = 0; n < graph->nodes.count; n++) {
        const struct graph_node *node = &graph->nodes.items[n];
        enum dtype dtype = graph->values.items[node->out].dtype;
        bool all = keeps_whole(graph, node);

        for (size_t i = 0; i < node->in_count; i++)
            all &= whole[node->in[i]];
        whole[node->out] = all && !(only_double && dtype_is_float(dtype) && dtype != DTYPE_F64);
    }
}

bool *whole_numbers_of(const struct graph *graph)
{
    bool *whole = mem_alloc_zeroed(graph->values.count + 1, sizeof(*whole));

    for (size_t i = 0; i < graph->values.count; i++) {
        const struct value *value = &graph->values.items[i];

        whole[i] = (tensor_is_given(value->role) || value->role == TENSOR_CONSTANT) &&
                   is_given_whole(value);
    }
    follow(graph, false, whole);
    return whole;
}

bool *whole_doubles_of(const struct graph *graph)
{
    bool *whole = mem_alloc_zeroed(graph->values.count + 1, sizeof(*whole));

    for (size_t i = 0; i < graph->values.count; i++) {
        const struct value *value = &graph->values.items[i];

        whole[i] = value->role == TENSOR_CONSTANT
                       ? is_given_whole(value)
                       : tensor_is_given(value->role) && !dtype_is_float(value->dtype);
    }
    follow(graph, true, whole);
    for (size_t i = 0; i < graph->values.count; i++)
        whole[i] &= graph->values.items[i].dtype == DTYPE_F64;
    return whole;
}
