#include "core/judge/oracle/edge/whole_numbers.h"

#include <math.h>
#include <stdlib.h>
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

    return op_is_one_of(node->op, names) || !dtype_is_float(graph->values.items[node->out].dtype) ||
           node->op->kind == OP_MOVEMENT;
}

bool *whole_numbers_of(const struct graph *graph)
{
    bool *whole = mem_alloc_zeroed(graph->values.count + 1, sizeof(*whole));

    for (size_t i = 0; i < graph->values.count; i++) {
        const struct value *value = &graph->values.items[i];

        whole[i] = (tensor_is_given(value->role) || value->role == TENSOR_CONSTANT) &&
                   is_given_whole(value);
    }
    for (size_t n = 0; n < graph->nodes.count; n++) {
        const struct graph_node *node = &graph->nodes.items[n];
        bool all = keeps_whole(graph, node);

        for (size_t i = 0; i < node->in_count; i++)
            all &= whole[node->in[i]];
        whole[node->out] = all;
    }
    return whole;
}

static bool are_whole_attributes(const struct op_call *call)
{
    bool are = true;

    for (size_t i = 0; call->op->attributes[i].name; i++)
        are &= call->attributes[i].number == rint(call->attributes[i].number);
    return are;
}

/* True if whole operands make a whole result in every implementation. */
static bool stays_whole(const struct graph *graph, size_t n)
{
    static const char *const with_numbers[] = {"add", "sub", "clamp", "pad", NULL};
    const struct graph_node *node = &graph->nodes.items[n];
    const struct op_call call = graph_call(graph, n);
    bool is_limited = strcmp(node->op->name, "clamp") == 0 || strcmp(node->op->name, "relu") == 0;

    return (keeps_whole(graph, node) || is_limited) &&
           (!op_is_one_of(node->op, with_numbers) || are_whole_attributes(&call));
}

/* True for x - clamp(x, -limit, limit) with a limit of 2^23 or more. */
static bool is_rest(const struct graph *graph, const size_t *makers, size_t n)
{
    const struct graph_node *node = &graph->nodes.items[n], *clamp;
    struct op_call call;

    if (strcmp(node->op->name, "sub") != 0 || makers[node->in[1]] == 0)
        return false;
    clamp = &graph->nodes.items[makers[node->in[1]] - 1];
    call = graph_call(graph, makers[node->in[1]] - 1);
    return strcmp(clamp->op->name, "clamp") == 0 && clamp->in[0] == node->in[0] &&
           call.attributes[0].number <= -0x1p23 && call.attributes[1].number >= 0x1p23 &&
           graph_call(graph, n).attributes[0].number == 1;
}

static bool are_all(const struct graph_node *node, const enum wholeness *whole,
                    enum wholeness least)
{
    bool are = true;

    for (size_t i = 0; i < node->in_count; i++)
        are &= whole[node->in[i]] >= least;
    return are;
}

/* The wholeness of a node's result. Integers count as exact if they depend on integers alone. */
static enum wholeness follow(const struct graph *graph, const size_t *makers, size_t n,
                             const enum wholeness *whole)
{
    static const char *const products[] = {"matmul", "linear", "conv1d", "conv2d", "conv3d", NULL};
    const struct graph_node *node = &graph->nodes.items[n];
    enum dtype dtype = graph->values.items[node->out].dtype;
    bool is_integer = !dtype_is_float(dtype), stays = stays_whole(graph, n);
    bool is_product = op_is_one_of(node->op, products);

    if ((is_integer || (dtype == DTYPE_F64 && (stays || is_product))) &&
        are_all(node, whole, WHOLE_EXACT))
        return WHOLE_EXACT;
    if (is_rest(graph, makers, n))
        return WHOLE_REST;
    return is_integer || (stays && are_all(node, whole, WHOLE_STORED)) ? WHOLE_STORED : WHOLE_NOT;
}

enum wholeness *wholeness_of(const struct graph *graph)
{
    enum wholeness *whole = mem_alloc_zeroed(graph->values.count + 1, sizeof(*whole));
    size_t *makers = mem_alloc_zeroed(graph->values.count + 1, sizeof(*makers));

    for (size_t i = 0; i < graph->values.count; i++) {
        const struct value *value = &graph->values.items[i];
        bool is_whole = value->role == TENSOR_CONSTANT
                            ? is_given_whole(value)
                            : tensor_is_given(value->role) && !dtype_is_float(value->dtype);

        whole[i] = is_whole ? WHOLE_EXACT : WHOLE_NOT;
    }
    for (size_t n = 0; n < graph->nodes.count; n++) {
        whole[graph->nodes.items[n].out] = follow(graph, makers, n, whole);
        makers[graph->nodes.items[n].out] = n + 1;
    }
    for (size_t i = 0; i < graph->values.count; i++)
        if (whole[i] == WHOLE_EXACT && graph->values.items[i].dtype != DTYPE_F64)
            whole[i] = WHOLE_STORED;
    free(makers);
    return whole;
}

double whole_number_limit(bool is_mixed)
{
    return is_mixed ? 0x1p8 : 0x1p24;
}
