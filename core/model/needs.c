#include "core/model/needs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"

/* The maximum number of elements of a tensor from a model that are checked for zeros. */
enum { ZERO_SAMPLE = 1 << 16 };

static bool is_all_zero(const unsigned char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (bytes[i])
            return false;
    return true;
}

/* True if a sample of contents from a model, taken at equal distances, has no zero. */
static bool is_given_nonzero(const struct value *value)
{
    size_t bytes = dtype_bytes(value->dtype), count = (size_t)shape_elements(&value->shape);
    size_t taken = count < ZERO_SAMPLE ? count : ZERO_SAMPLE;

    for (size_t i = 0; value->given.bytes && i < taken; i++)
        if (is_all_zero(value->given.bytes + i * (count / taken) * bytes, bytes))
            return false;
    return value->given.bytes;
}

/* True if a tensor or constant has no zeros. A continuous distribution makes none. */
static bool is_filled_nonzero(const struct value *value)
{
    const struct fill *fill = &value->fill;

    switch (fill->kind) {
    case FILL_CONSTANT:
        return fill->a != 0;
    case FILL_UNIFORM:
        return dtype_is_float(value->dtype) && (fill->a < fill->b || fill->a != 0);
    case FILL_NORMAL:
        return dtype_is_float(value->dtype) && (fill->b > 0 || fill->a != 0);
    case FILL_INTEGERS:
        return fill->a > 0 || fill->b < 0;
    case FILL_SIGNS:
        return true;
    case FILL_MODEL:
        return is_given_nonzero(value);
    case FILL_PERMUTATION:
    case FILL_MASK:
    default:
        return false;
    }
}

/* True if the tensor holds the same numbers in every run. */
static bool is_fixed(const struct value *value)
{
    const struct fill *fill = &value->fill;

    switch (fill->kind) {
    case FILL_CONSTANT:
        return true;
    case FILL_UNIFORM:
    case FILL_INTEGERS:
        return fill->a == fill->b;
    case FILL_NORMAL:
        return fill->b == 0;
    case FILL_MASK:
    case FILL_SIGNS:
        return fill->a <= 0 || fill->a >= 1;
    case FILL_PERMUTATION:
        return value->shape.rank == 0 || value->shape.dims[value->shape.rank - 1] == 1;
    case FILL_MODEL:
        return value->given.count < 2;
    default:
        return false;
    }
}

/* The elements that all sets of contents from a model have in common. */
static double common_elements(const struct value *value)
{
    size_t bytes = dtype_bytes(value->dtype), count = (size_t)shape_elements(&value->shape);
    size_t common = 0;

    if (value->fill.kind != FILL_MODEL || !value->given.bytes)
        return 0;
    for (size_t i = 0; i < count; i++) {
        const unsigned char *first = value->given.bytes + i * bytes;
        size_t set = 1;

        while (set < value->given.count &&
               memcmp(first, first + set * value->given.stride, bytes) == 0)
            set++;
        common += set == value->given.count;
    }
    return (double)common;
}

static unsigned operands_nonzero(const struct graph_node *node, const bool *nonzero)
{
    unsigned operands = 0;

    for (size_t i = 0; i < node->in_count; i++)
        operands |= nonzero[node->in[i]] ? 1U << i : 0;
    return operands;
}

/* Find the values without zeros. The caller frees. */
static bool *find_nonzero(const struct graph *graph)
{
    bool *nonzero = mem_alloc_zeroed(graph->values.count + 1, sizeof(*nonzero));

    for (size_t i = 0; i < graph->values.count; i++) {
        const struct value *value = &graph->values.items[i];

        nonzero[i] = (tensor_is_given(value->role) || value->role == TENSOR_CONSTANT) &&
                     is_filled_nonzero(value);
    }
    for (size_t n = 0; n < graph->nodes.count; n++) {
        const struct graph_node *node = &graph->nodes.items[n];

        nonzero[node->out] = node->op->keeps_nonzero &&
                             dtype_is_float(graph->values.items[node->out].dtype) &&
                             operands_nonzero(node, nonzero) == (1U << node->in_count) - 1;
    }
    return nonzero;
}

/* Add the operands' elements that a node's wanted results need. */
static void follow(const struct graph *graph, size_t index, const bool *nonzero,
                   struct region_list *lists)
{
    const struct graph_node *node = &graph->nodes.items[index];
    const struct op_call call = graph_call(graph, index);
    const struct region_list *wanted = &lists[node->out];

    for (size_t w = 0; node->op->needs && w < wanted->count; w++)
        for (size_t i = 0; i < node->in_count; i++) {
            const struct op_demand demand = {.operand = i,
                                             .wanted = &wanted->items[w],
                                             .nonzero = operands_nonzero(node, nonzero)};

            if (!wanted->items[w].is_anywhere)
                node->op->needs(&call, &demand, &lists[node->in[i]]);
        }
}

/* The needed elements of each value. The caller frees. */
static struct region_list *find_needed(const struct graph *graph)
{
    struct region_list *lists = mem_alloc_zeroed(graph->values.count + 1, sizeof(*lists));
    bool *nonzero = find_nonzero(graph);

    for (size_t i = 0; i < graph->values.count; i++) {
        const struct region all = region_whole(&graph->values.items[i].shape);

        if (graph->values.items[i].role == TENSOR_OUTPUT)
            region_list_add(&lists[i], &all);
    }
    for (size_t n = graph->nodes.count; n-- > 0;)
        follow(graph, n, nonzero, lists);
    free(nonzero);
    return lists;
}

static double elements_of(const struct value *value, const struct region_list *needed)
{
    return is_fixed(value) ? 0 : fmax(region_list_elements(needed) - common_elements(value), 0);
}

double needs_input_bytes(const struct graph *graph, const bool *ignored)
{
    struct region_list *lists = find_needed(graph);
    double bytes = 0;

    for (size_t i = 0; i < graph->values.count; i++) {
        const struct value *value = &graph->values.items[i];

        if (value->role == TENSOR_INPUT && !(ignored && ignored[i]))
            bytes += elements_of(value, &lists[i]) * (double)dtype_bytes(value->dtype);
    }
    free(lists);
    return bytes;
}

double needs_elements(const struct graph *graph, size_t value)
{
    struct region_list *lists = find_needed(graph);
    double elements = elements_of(&graph->values.items[value], &lists[value]);

    free(lists);
    return elements;
}
