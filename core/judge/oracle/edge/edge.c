#include "core/judge/oracle/edge/edge.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/mem.h"
#include "core/judge/oracle/edge/edge_range.h"
#include "core/judge/oracle/edge/whole_numbers.h"
#include "core/judge/oracle/elementwise/strip.h"
#include "core/system/parallel.h"

/* True if the exponent of a power is a whole number, so that it has a value everywhere. */
static bool is_whole_power(const struct op_call *call)
{
    const struct value *exponent = call->in_count > 1 ? call->in[1] : NULL;

    return exponent && exponent->role == TENSOR_CONSTANT &&
           exponent->fill.a == rint(exponent->fill.a);
}

/* True if an implementation computes the result, other than by moving given elements. */
static bool is_computed(const struct graph_node *node, const struct oracle_rule *rule,
                        const bool *computed)
{
    bool moves = node->op->kind == OP_MOVEMENT || (rule && rule->keeps_elements), any = !moves;

    for (size_t i = 0; i < node->in_count; i++)
        any |= computed[node->in[i]];
    return any;
}

bool *edges_possible(const struct graph *graph)
{
    size_t values = graph->values.count + 1;
    struct edge_range *ranges = mem_alloc_zeroed(values, sizeof(*ranges));
    bool *computed = mem_alloc_zeroed(values, sizeof(*computed)), found = false;
    bool *possible = mem_alloc_zeroed(graph->nodes.count + 1, sizeof(*possible));
    bool *whole = whole_numbers_of(graph);

    for (size_t i = 0; i < graph->values.count; i++)
        ranges[i] = edge_range_given(&graph->values.items[i]);
    for (size_t n = 0; n < graph->nodes.count; n++) {
        const struct graph_node *node = &graph->nodes.items[n];
        const struct oracle_rule *rule = oracle_rule_of(node->op->name);
        const struct op_call call = graph_call(graph, n);
        struct edge_range in[OP_MAX_INPUTS] = {{0}};

        for (size_t i = 0; i < node->in_count; i++)
            in[i] = ranges[node->in[i]];
        possible[n] = rule && rule->error.has_edge && computed[node->in[0]] && in[0].low < 0 &&
                      !whole[node->in[0]] && !is_whole_power(&call);
        found |= possible[n];
        ranges[node->out] = edge_range_after(&call, in);
        computed[node->out] = is_computed(node, rule, computed);
    }
    free(ranges);
    free(computed);
    free(whole);
    if (found)
        return possible;
    free(possible);
    return NULL;
}

struct edges *edges_new(const struct graph *graph)
{
    bool *possible = edges_possible(graph);
    struct edges *edges;

    if (!possible)
        return NULL;
    edges = mem_alloc_zeroed(1, sizeof(*edges));
    edges->may_be = possible;
    edges->at = mem_alloc_zeroed(graph->nodes.count, sizeof(*edges->at));
    edges->count = graph->nodes.count;
    return edges;
}

void edges_free(struct edges *edges)
{
    for (size_t n = 0; edges && n < edges->count; n++)
        free(edges->at[n]);
    if (edges) {
        free(edges->may_be);
        free(edges->at);
    }
    free(edges);
}

typedef double elements[STRIP_ELEMENTS];

struct job {
    const struct oracle_call *call;
    const struct oracle_rule *rule;
    const struct rounding *rounding;
    const double *variance[OP_MAX_INPUTS];
    struct strip_source source;
    unsigned char *at;
};

/* Compute a strip of results with other arguments. */
static void evaluate(const struct job *job, const struct strip *strip, const double *arguments,
                     double *y)
{
    const double *x[STRIP_OPERANDS] = {arguments, strip->x[1], strip->x[2]};

    job->rule->strip(x, job->call->op->attributes, y);
}

/*
 * How far the errors of the arguments reach. Storing a number keeps its sign, so it is left out.
 * Returns whether any of them reaches the edge.
 */
static bool find_reach(const struct job *job, const double *x, const double *variance,
                       double *reach)
{
    elements stored = {0};
    bool any = false;

    rounding_add(job->rounding, job->call->op->in[0]->dtype, x, STRIP_ELEMENTS, stored);
    for (size_t i = 0; i < STRIP_ELEMENTS; i++) {
        reach[i] = ROUNDING_DEVIATIONS * sqrt(fmax(variance[i] - (1 + 0x1p-20) * stored[i], 0));
        any |= reach[i] > 0 && fabs(x[i]) <= reach[i];
    }
    return any;
}

/* Find the elements of a strip at the edge: `n` results from `first` on. */
static void find_strip(const struct job *job, const struct strip *strip, const double *reach,
                       size_t first, size_t n)
{
    double *y = job->call->out + first;
    unsigned char *at = job->at + first;
    elements down, up, edge, below, above, value;

    for (size_t i = 0; i < STRIP_ELEMENTS; i++) {
        down[i] = strip->x[0][i] - reach[i];
        up[i] = strip->x[0][i] + reach[i];
        edge[i] = EDGE_ARGUMENT;
    }
    evaluate(job, strip, down, below);
    evaluate(job, strip, up, above);
    evaluate(job, strip, edge, value);
    for (size_t i = 0; i < n; i++) {
        at[i] = reach[i] > 0 && isnan(below[i]) && !isnan(above[i]);
        if (at[i] && !isfinite(y[i]))
            y[i] = value[i];
    }
}

static void find_some(void *data, size_t first, size_t last)
{
    const struct job *job = data;
    struct strip strip, variances;
    elements reach;

    for (size_t i = first, n; i < last; i += n) {
        n = last - i < STRIP_ELEMENTS ? last - i : STRIP_ELEMENTS;
        strip_take(&job->source, job->call->in, i, n, &strip);
        strip_take(&job->source, job->variance, i, n, &variances);
        if (find_reach(job, strip.x[0], variances.x[0], reach))
            find_strip(job, &strip, reach, i, n);
    }
}

static size_t count_of(const struct oracle_call *call)
{
    return (size_t)shape_elements(&call->op->out->shape);
}

void edges_find(struct edges *edges, size_t node, const struct oracle_spread *spread,
                const struct oracle_rule *rule, const struct rounding *rounding)
{
    const struct oracle_call *call = &spread->call;
    size_t count = count_of(call);
    struct job job = {call, rule, rounding, {spread->variance[0]}, strip_source_of(call->op), NULL};
    bool any = false;

    if (!edges->may_be[node] || !spread->variance[0])
        return;
    job.at = mem_alloc_zeroed(count + 1, sizeof(*job.at));
    parallel_for(count, 1 << 12, find_some, &job);
    for (size_t i = 0; i < count; i++)
        any |= job.at[i];
    edges->has_any |= any;
    free(edges->at[node]);
    edges->at[node] = any ? job.at : NULL;
    if (!any)
        free(job.at);
}

void edges_settle(const struct edges *edges, size_t node, const struct oracle_call *call,
                  const struct oracle_rule *rule)
{
    const struct job job = {call, rule, NULL, {NULL}, strip_source_of(call->op), NULL};
    const unsigned char *at = edges->at[node];
    size_t count = count_of(call);
    struct strip strip;
    elements edge, value;

    for (size_t i = 0, n; at && i < count; i += n) {
        n = count - i < STRIP_ELEMENTS ? count - i : STRIP_ELEMENTS;
        strip_take(&job.source, call->in, i, n, &strip);
        for (size_t k = 0; k < STRIP_ELEMENTS; k++)
            edge[k] = EDGE_ARGUMENT;
        evaluate(&job, &strip, edge, value);
        for (size_t k = 0; k < n; k++)
            if (at[i + k] && !isfinite(call->out[i + k]))
                call->out[i + k] = value[k];
    }
}

void edges_stray(const struct edges *edges, size_t node, const struct oracle_call *call)
{
    const unsigned char *at = edges->at[node];
    size_t count = count_of(call);

    for (size_t i = 0; at && i < count; i++)
        call->out[i] = at[i] ? (double)NAN : call->out[i];
}

void edges_widen(const double *expected, const double *strayed, size_t count, double *variance)
{
    for (size_t i = 0; i < count; i++) {
        double off = fabs(strayed[i] - expected[i]) / ROUNDING_DEVIATIONS;

        if (isfinite(off))
            variance[i] += ROUNDING_STEP_MARGIN * off * off;
        else if (!isnan(expected[i]) && strayed[i] != expected[i])
            variance[i] = copysign(variance[i], -1);
    }
}
