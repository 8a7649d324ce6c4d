#include "core/model/roofline/needs.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/system/parallel.h"

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

/* The count of elements that all sets of contents from a model have in common. */
struct common {
    const struct value *value;
    atomic_size_t count;
};

enum { CHUNK = 4096 }; /* elements that are compared at a time */

/* Clear the marks of bytes that differ; elements of several bytes have several marks. */
static void compare_sets(const unsigned char *a, const unsigned char *b, size_t bytes,
                         unsigned char *same)
{
    for (size_t i = 0; i < bytes; i++)
        same[i] &= a[i] == b[i];
}

/* The number of elements of `size` bytes in a chunk whose bytes are all marked. */
static size_t count_same(const unsigned char *same, size_t count, size_t size)
{
    size_t found = 0;

    for (size_t i = 0; i < count; i++) {
        unsigned char all = 1;

        for (size_t byte = 0; byte < size; byte++)
            all &= same[i * size + byte];
        found += all;
    }
    return found;
}

static void count_common(void *data, size_t first, size_t last)
{
    struct common *common = data;
    const struct given *given = &common->value->given;
    size_t size = dtype_bytes(common->value->dtype), found = 0, count;
    unsigned char same[CHUNK * sizeof(double)];

    for (; first < last; first += count) {
        const unsigned char *set = given->bytes + first * size;

        count = last - first < CHUNK ? last - first : CHUNK;
        memset(same, 1, count * size);
        for (size_t i = 1; i < given->count; i++)
            compare_sets(set, set + i * given->stride, count * size, same);
        found += count_same(same, count, size);
    }
    common->count += found;
}

size_t needs_count_common(const struct value *value)
{
    struct common common = {.value = value};

    if (value->given.bytes)
        parallel_for((size_t)shape_elements(&value->shape), 1 << 18, count_common, &common);
    return common.count;
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
    return is_fixed(value) ? 0
                           : fmax(region_list_elements(needed) - (double)value->given.common, 0);
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
