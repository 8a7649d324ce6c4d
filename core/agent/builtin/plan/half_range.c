#include "core/agent/builtin/plan/half_range.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"

/* The largest argument whose exponential f16 holds, and the deviations that drawn numbers reach. */
static const double most_argument = 11, drawn_deviations = 4;

/* The range of a value's elements; NaN if it is not known. */
struct range {
    double low, high;
};

static struct range drawn_range(const struct value *value)
{
    const struct fill *fill = &value->fill;
    double reach = drawn_deviations * fill->b;

    if (value->role == TENSOR_CONSTANT)
        return (struct range){fill->a, fill->a};
    switch (fill->kind) {
    case FILL_UNIFORM:
    case FILL_INTEGERS:
        return (struct range){fill->a, fill->b};
    case FILL_NORMAL:
        return (struct range){fill->a - reach, fill->a + reach};
    case FILL_CONSTANT:
        return (struct range){fill->a, fill->a};
    case FILL_MASK:
        return (struct range){0, 1};
    case FILL_SIGNS:
        return (struct range){-1, 1};
    case FILL_PERMUTATION:
    case FILL_MODEL:
        break;
    }
    return (struct range){NAN, NAN};
}

static struct range joined(struct range a, struct range b)
{
    if (isnan(a.low) || isnan(b.low))
        return (struct range){NAN, NAN};
    return (struct range){fmin(a.low, b.low), fmax(a.high, b.high)};
}

static struct range times(struct range a, struct range b)
{
    const struct range one = joined((struct range){a.low * b.low, a.low * b.low},
                                    (struct range){a.high * b.high, a.high * b.high});

    return joined(one, joined((struct range){a.low * b.high, a.low * b.high},
                              (struct range){a.high * b.low, a.high * b.low}));
}

/* Sums of numbers around zero grow with the root of their number. */
static struct range summed(const struct op_call *call, struct range x)
{
    unsigned axes = call->op->axes ? call->op->axes(call) : 0;
    double count = 1, middle = (x.low + x.high) / 2, reach = (x.high - x.low) / 2;

    for (size_t axis = 0; axis < call->in[0]->shape.rank; axis++)
        count *= axes >> axis & 1 ? (double)call->in[0]->shape.dims[axis] : 1;
    return (struct range){count * fmin(middle, 0) - sqrt(count) * reach,
                          count * fmax(middle, 0) + sqrt(count) * reach};
}

static bool is_op(const struct graph_node *node, const char *name)
{
    return strcmp(node->op->name, name) == 0;
}

/* True if the value is the largest element of a line, moved. */
static bool is_largest(const struct graph *graph, size_t value)
{
    for (size_t n = graph->nodes.count; n-- > 0;) {
        const struct graph_node *node = &graph->nodes.items[n];

        if (node->out != value)
            continue;
        if (node->op->kind != OP_MOVEMENT)
            return is_op(node, "max");
        value = node->in[0];
    }
    return false;
}

static struct range range_after(const struct graph *graph, size_t n, const struct range *ranges)
{
    const struct graph_node *node = &graph->nodes.items[n];
    const struct op_call call = graph_call(graph, n);
    struct range a = ranges[node->in[0]];
    struct range b = node->in_count > 1 ? ranges[node->in[1]] : a;

    if (is_op(node, "add"))
        return (struct range){a.low + b.low, a.high + b.high};
    if (is_op(node, "sub"))
        return (struct range){a.low - b.high, is_largest(graph, node->in[1]) ? 0 : a.high - b.low};
    if (is_op(node, "mul"))
        return times(a, b);
    if (is_op(node, "neg"))
        return (struct range){-a.high, -a.low};
    if (is_op(node, "where"))
        return joined(b, ranges[node->in[2]]);
    if (is_op(node, "sum") || is_op(node, "cumsum"))
        return summed(&call, a);
    if (is_op(node, "mean") || is_op(node, "max") || is_op(node, "min"))
        return a;
    if (is_op(node, "concat"))
        return joined(a, b);
    return node->op->kind == OP_MOVEMENT ? a : (struct range){NAN, NAN};
}

bool half_range_is_exceeded(const struct graph *graph)
{
    struct range *ranges = mem_alloc_zeroed(graph->values.count + 1, sizeof(*ranges));
    bool is_exceeded = false;

    for (size_t i = 0; i < graph->values.count; i++)
        ranges[i] = drawn_range(&graph->values.items[i]);
    for (size_t n = 0; n < graph->nodes.count; n++) {
        const struct graph_node *node = &graph->nodes.items[n];

        is_exceeded |= is_op(node, "exp") && ranges[node->in[0]].high > most_argument;
        ranges[node->out] = range_after(graph, n, ranges);
    }
    free(ranges);
    return is_exceeded;
}
