#include "core/judge/oracle/rounding/second_evaluation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/judge/oracle/rounding/spread_rowwise.h"
#include "core/judge/oracle/rounding/spread_sum.h"

/*
 * How a value depends on a statistic: by one element for each line, or by many elements of a line.
 */
enum { ONE_EACH = 1, MANY_EACH = 2 };

static int64_t count_of(const struct graph *graph, size_t value)
{
    return shape_elements(&graph->values.items[value].shape);
}

static bool is_product(const struct graph_node *node)
{
    return node->op->kind == OP_PRODUCT || node->op->kind == OP_CONVOLUTION ||
           node->op->kind == OP_ATTENTION || node->op->kind == OP_RECURRENCE;
}

/* True if the results are running sums or products, whose errors the later ones inherit. */
static bool is_scan(const struct graph_node *node)
{
    return strcmp(node->op->name, "cumsum") == 0 || strcmp(node->op->name, "cumprod") == 0;
}

static bool is_sum(const struct graph_node *node)
{
    return strcmp(node->op->name, "cumsum") == 0 || strcmp(node->op->name, "sum") == 0 ||
           strcmp(node->op->name, "mean") == 0;
}

/* How the node's result depends on the statistic if its operand does by `mark`. */
static unsigned mark_after(const struct graph *graph, const struct graph_node *node, size_t operand,
                           unsigned mark)
{
    bool is_repeated = count_of(graph, node->out) > count_of(graph, operand);

    if (node->op->kind == OP_REDUCTION)
        return mark ? ONE_EACH : 0;
    if (node->op->kind == OP_ROWWISE || node->op->kind == OP_CHANNELWISE)
        return mark ? MANY_EACH : 0;
    return (mark & ONE_EACH) && is_repeated ? mark | MANY_EACH : mark;
}

/* How the results of a node depend on statistics that it computes itself. */
static unsigned own_mark(const struct graph *graph, size_t node)
{
    const struct graph_node *own = &graph->nodes.items[node];
    const struct op_call call = graph_call(graph, node);

    if (!dtype_is_float(call.out->dtype))
        return 0;
    if (own->op->kind == OP_REDUCTION)
        return ONE_EACH;
    if (own->op->kind == OP_CHANNELWISE && strcmp(own->op->name, "batch_norm") == 0)
        return 0; /* its statistics are operands */
    return own->op->kind == OP_ROWWISE || own->op->kind == OP_CHANNELWISE ? MANY_EACH : 0;
}

bool shared_error_is(const struct graph *graph, size_t node)
{
    unsigned *marks = mem_alloc_zeroed(graph->values.count + 1, sizeof(*marks));
    bool found = false, scans = is_scan(&graph->nodes.items[node]);

    marks[graph->nodes.items[node].out] = own_mark(graph, node);
    for (size_t n = node + 1; !found && n < graph->nodes.count; n++) {
        const struct graph_node *user = &graph->nodes.items[n];

        for (size_t i = 0; i < user->in_count; i++) {
            unsigned mark = marks[user->in[i]];

            found |= (mark & MANY_EACH) && (is_product(user) || (scans && is_sum(user)));
            marks[user->out] |= mark_after(graph, user, user->in[i], mark);
        }
    }
    free(marks);
    return found;
}

/* True if a node has a shared error, and the class counts such errors. */
static bool has_shared_error(const struct graph *graph, const struct rounding *rounding)
{
    bool found = false;

    for (size_t n = 0; rounding && !rounding->is_mixed && !found && n < graph->nodes.count; n++)
        found = shared_error_is(graph, n);
    return found;
}

double shared_error_sign(size_t line)
{
    return (uint32_t)((uint32_t)line * 2654435761U) >> 31 ? -1 : 1;
}

void shared_error_add(const struct oracle_line *line, const struct oracle_rule *rule, size_t count,
                      double *y)
{
    double *zeros = mem_alloc_zeroed(line->n, sizeof(*zeros));
    double *variance = mem_alloc_zeroed(count, sizeof(*variance));
    struct spread_line spread = {.values = *line, .y = y, .variance = zeros};

    rule->spread_line(&spread, variance);
    for (size_t i = 0; i < count; i++)
        y[i] += line->moves * sqrt(variance[i]);
    free(variance);
    free(zeros);
}

void shared_error_move_norm(const struct oracle_line *line, bool is_centred, double *mean,
                            double *scale)
{
    double *zeros = mem_alloc_zeroed(line->n, sizeof(*zeros));
    struct spread_moments m = spread_moments_of(line->x, zeros, line->n, is_centred);
    struct spread_scale s =
        spread_scale_of(m.square, m.square_variance, line->attributes[0].number);

    if (is_centred)
        *mean += line->moves * sqrt(m.mean_variance + ROUNDING_VARIANCE * m.mean * m.mean);
    *scale += line->moves * s.deviation;
    free(zeros);
}

void shared_error_widen(const double *expected, const double *moved, size_t count, double *variance)
{
    for (size_t i = 0; i < count; i++) {
        double off = moved[i] - expected[i];

        variance[i] += isfinite(off) ? off * off : 0;
    }
}

static double own_error_sign(double x, size_t evaluation)
{
    float single = (float)x;
    uint32_t bits;

    memcpy(&bits, &single, sizeof(bits));
    bits += (uint32_t)evaluation * 2654435761U;
    bits = (bits ^ bits >> 16) * 0x7feb352dU;
    bits = (bits ^ bits >> 15) * 0x846ca68bU;
    return bits >> 31 ? 1 : -1;
}

void own_error_add(const double *variance, size_t count, size_t evaluation, double *x)
{
    for (size_t i = 0; i < count; i++)
        if (variance[i] > 0 && isfinite(variance[i]))
            x[i] += own_error_sign(x[i], evaluation) * sqrt(variance[i]);
}

void own_error_weigh(const struct oracle_line *line, double shift, double *y)
{
    double sum = 1 + line->errs * spread_rowwise_sum(y, line->n), total = 0;

    for (size_t i = 0; i < line->n; i++) {
        double x = line->x[i], off = isfinite(x) ? spread_rowwise_argument(x, shift) : 0;

        y[i] = exp(x - shift + own_error_sign(x, 0) * off);
        total += y[i];
    }
    for (size_t i = 0; i < line->n; i++)
        y[i] /= total * sum;
}

/* A graph is deep if so many operations that mix elements follow each other. */
enum { DEEP = 12 };

/*
 * A graph is a chain if so many elementwise operations follow each other: each counts the errors of
 * its operands as independent, also where they come from one value, as in p / (p + r). The most
 * elements of a graph that is evaluated so often.
 */
enum { CHAIN = 32 };
static const double most_in_chain = 1 << 22;

/*
 * How far standard deviations of deep graphs may exceed the errors of the evaluation that errs. In
 * chaotic networks errors in class mixed grow in some rows of one kernel and in others of another.
 */
static const double most = 4;

static bool mixes_elements(const struct op *op)
{
    return op->kind != OP_ELEMENTWISE && op->kind != OP_MOVEMENT && op->kind != OP_WINDOW;
}

bool second_evaluation_fits(const struct graph *graph, size_t node)
{
    const struct graph_node *own = &graph->nodes.items[node];
    const struct value *out = &graph->values.items[own->out];

    return mixes_elements(own->op) && out->role == TENSOR_INNER && dtype_is_float(out->dtype);
}

/* The largest number of a node's operands. */
static size_t deepest_operand(const struct graph_node *node, const size_t *depths)
{
    size_t deepest = 0;

    for (size_t i = 0; i < node->in_count; i++)
        deepest = depths[node->in[i]] > deepest ? depths[node->in[i]] : deepest;
    return deepest;
}

bool second_evaluation_fits_chain(const struct graph *graph, size_t node)
{
    const struct graph_node *own = &graph->nodes.items[node];
    const struct value *out = &graph->values.items[own->out];

    return own->op->kind != OP_MOVEMENT && own->op->kind != OP_WINDOW &&
           out->role == TENSOR_INNER && dtype_is_float(out->dtype);
}

/* The largest number of operations on a path through the graph that mix elements. */
static size_t depth_of(const struct graph *graph)
{
    size_t *depths = mem_alloc_zeroed(graph->values.count + 1, sizeof(*depths));
    size_t deepest = 0;

    for (size_t n = 0; n < graph->nodes.count; n++) {
        const struct graph_node *node = &graph->nodes.items[n];

        depths[node->out] = deepest_operand(node, depths) + mixes_elements(node->op);
        deepest = depths[node->out] > deepest ? depths[node->out] : deepest;
    }
    free(depths);
    return deepest;
}

/* The most elementwise operations on a path through the graph without one that mixes elements. */
static size_t chain_of(const struct graph *graph)
{
    size_t *lengths = mem_alloc_zeroed(graph->values.count + 1, sizeof(*lengths));
    size_t longest = 0;

    for (size_t n = 0; n < graph->nodes.count; n++) {
        const struct graph_node *node = &graph->nodes.items[n];
        bool is_elementwise = node->op->kind == OP_ELEMENTWISE;

        if (!mixes_elements(node->op))
            lengths[node->out] = deepest_operand(node, lengths) + is_elementwise;
        longest = lengths[node->out] > longest ? lengths[node->out] : longest;
    }
    free(lengths);
    return longest;
}

/*
 * True if computed values become integers or truth values, such as the place of the largest. Their
 * errors are rare and large, so that one evaluation does not show them.
 */
static bool computes_steps(const struct graph *graph)
{
    bool *computed = mem_alloc_zeroed(graph->values.count + 1, sizeof(*computed)), found = false;

    for (size_t n = 0; !found && n < graph->nodes.count; n++) {
        const struct graph_node *node = &graph->nodes.items[n];
        bool is_inexact = node->op->kind != OP_MOVEMENT, has_computed = false;

        for (size_t i = 0; i < node->in_count; i++)
            has_computed |= computed[node->in[i]];
        found = has_computed && graph_makes_steps(graph, n);
        computed[node->out] =
            dtype_is_float(graph->values.items[node->out].dtype) && (is_inexact || has_computed);
    }
    free(computed);
    return found;
}

static double element_total(const struct graph *graph)
{
    double total = 0;

    for (size_t i = 0; i < graph->values.count; i++)
        total += (double)count_of(graph, i);
    return total;
}

struct second_evaluation second_evaluation_of(const struct graph *graph,
                                              const struct rounding *rounding)
{
    bool has_steps = computes_steps(graph);
    bool errs = depth_of(graph) >= DEEP && !has_steps;
    bool rounds = errs || rounding->is_mixed;
    bool is_chain =
        !errs && chain_of(graph) >= CHAIN && !has_steps && element_total(graph) <= most_in_chain;

    return (struct second_evaluation){
        .rounds = rounds,
        .errs = errs,
        .moves = !rounds && has_shared_error(graph, rounding),
        .is_chain = is_chain,
        .margin = errs || is_chain ? most * most : (double)INFINITY,
    };
}
