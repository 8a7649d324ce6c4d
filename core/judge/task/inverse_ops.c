#include "core/judge/task/inverse_ops.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/mem.h"

enum { SOME = 1023, NONE = -1, UNKNOWN = -2 };

/*
 * Bounds on the rounding error in double precision: relative to the operands, and absolute near
 * zero.
 */
static const double relative_rounding = 1e-12, rounding = 1e-15;

/* A rounding error above this share of a value's largest element hides the value. */
static const double hidden = 1e-3;

/* A sample of a value's elements, at equal distances. */
struct sample {
    double elements[SOME];
    size_t count;
};

struct inverse_ops {
    const struct graph *graph;
    struct sample *samples; /* one for each value of the graph, in the current evaluation */
    long *to;               /* for each node, the index of a value or a constant of the enum */
};

struct inverse_ops *inverse_ops_new(const struct graph *graph)
{
    struct inverse_ops *inverse = mem_alloc_zeroed(1, sizeof(*inverse));

    inverse->graph = graph;
    inverse->samples = mem_alloc_zeroed(graph->values.count + 1, sizeof(*inverse->samples));
    inverse->to = mem_alloc_zeroed(graph->nodes.count + 1, sizeof(*inverse->to));
    for (size_t n = 0; n < graph->nodes.count; n++)
        inverse->to[n] = graph->nodes.items[n].op->kind == OP_MOVEMENT ? NONE : UNKNOWN;
    return inverse;
}

void inverse_ops_free(struct inverse_ops *inverse)
{
    if (!inverse)
        return;
    free(inverse->samples);
    free(inverse->to);
    free(inverse);
}

void inverse_ops_see_value(struct inverse_ops *inverse, size_t value, const double *elements)
{
    struct sample *sample = &inverse->samples[value];
    size_t count = (size_t)shape_elements(&inverse->graph->values.items[value].shape);

    sample->count = count < SOME ? count : SOME;
    for (size_t i = 0; i < sample->count; i++)
        sample->elements[i] = elements[i * count / sample->count];
}

/* The magnitude of the largest finite element. */
static double sample_size(const struct sample *sample)
{
    double size = 0;

    for (size_t i = 0; i < sample->count; i++)
        size = isfinite(sample->elements[i]) ? fmax(size, fabs(sample->elements[i])) : size;
    return size;
}

/* The magnitude of the node's operands, which determines the rounding error of its result. */
static double operand_size(const struct inverse_ops *inverse, const struct graph_node *node)
{
    double size = 0;

    for (size_t i = 0; i < node->in_count; i++)
        size = fmax(size, sample_size(&inverse->samples[node->in[i]]));
    return size;
}

/*
 * True if the sampled elements of the node's result equal those of the value. Operands so large
 * that their rounding error would hide the value, such as the -3.4e38 of a mask, tell nothing.
 */
static bool gives_back(const struct inverse_ops *inverse, const struct graph_node *node,
                       size_t value)
{
    const struct value *values = inverse->graph->values.items;
    const struct sample *result = &inverse->samples[node->out], *before = &inverse->samples[value];
    double slack = relative_rounding * operand_size(inverse, node) + rounding;

    if (values[node->out].dtype != values[value].dtype ||
        !shape_equals(&values[node->out].shape, &values[value].shape) ||
        slack > hidden * sample_size(before) + rounding)
        return false;
    for (size_t i = 0; i < result->count; i++)
        if (!(fabs(result->elements[i] - before->elements[i]) <= slack))
            return false;
    return true;
}

/*
 * An entry for each value: true if the node's result depends on it, but not directly as an operand.
 * The caller frees.
 */
static bool *list_ancestors(const struct graph *graph, size_t node)
{
    const struct graph_node *last = &graph->nodes.items[node];
    bool *is_ancestor = mem_alloc_zeroed(graph->values.count + 1, sizeof(*is_ancestor));

    is_ancestor[last->out] = true;
    for (size_t n = node + 1; n-- > 0;) {
        const struct graph_node *at = &graph->nodes.items[n];

        for (size_t i = 0; is_ancestor[at->out] && i < at->in_count; i++)
            is_ancestor[at->in[i]] = true;
    }
    is_ancestor[last->out] = false;
    for (size_t i = 0; i < last->in_count; i++)
        is_ancestor[last->in[i]] = false;
    return is_ancestor;
}

static long find(const struct inverse_ops *inverse, size_t node)
{
    const struct graph *graph = inverse->graph;
    bool *is_ancestor = list_ancestors(graph, node);
    long found = NONE;

    for (size_t i = 0; found == NONE && i < graph->values.count; i++)
        if (is_ancestor[i] && graph->values.items[i].role != TENSOR_CONSTANT &&
            gives_back(inverse, &graph->nodes.items[node], i))
            found = (long)i;
    free(is_ancestor);
    return found;
}

void inverse_ops_see_node(struct inverse_ops *inverse, size_t node)
{
    long *to = &inverse->to[node];

    if (*to == UNKNOWN)
        *to = find(inverse, node);
    else if (*to != NONE && !gives_back(inverse, &inverse->graph->nodes.items[node], (size_t)*to))
        *to = NONE;
}

long inverse_ops_to(const struct inverse_ops *inverse, size_t node)
{
    return inverse->to[node] == UNKNOWN ? NONE : inverse->to[node];
}
