#include "core/judge/oracle/oracle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/judge/oracle/choice/choice_search.h"
#include "core/judge/oracle/edge/edge.h"
#include "core/judge/oracle/oracle_family.h"
#include "core/judge/oracle/oracle_memory.h"
#include "core/judge/oracle/rounding/dependence.h"
#include "core/judge/oracle/rounding/kept_elements.h"
#include "core/judge/oracle/rounding/second_evaluation.h"
#include "core/system/parallel.h"

struct oracle_values oracle_values_make(const struct graph *graph)
{
    return (struct oracle_values){
        .items = mem_alloc_zeroed(graph->values.count + 1, sizeof(double *)),
        .count = graph->values.count,
        .variances = mem_alloc_zeroed(graph->values.count + 1, sizeof(double *)),
    };
}

void oracle_values_release(struct oracle_values *values)
{
    for (size_t i = 0; i < values->count; i++) {
        block_pool_give(values->blocks, values->items[i]);
        block_pool_give(values->blocks, values->variances[i]);
    }
    free(values->items);
    free(values->variances);
    *values = (struct oracle_values){0};
}

static size_t element_count(const struct graph *graph, size_t index)
{
    return (size_t)shape_elements(&graph->values.items[index].shape);
}

/* The state of an evaluation. */
struct traversal {
    const struct graph *graph;
    const struct oracle_evaluator *evaluator; /* for a graph without nodes; may be NULL */
    struct oracle_values *values;
    const struct oracle_observer *observer; /* NULL: a result may be written over an operand */
    const struct oracle_seeds
        /* seeds of tensors that are made when needed; NULL if all tensors exist and are kept */
        *seeds;
    size_t *last_uses; /* for each value the last node that reads it */
    /* every value is rounded to the storage that this class allows; NULL: values are exact */
    const struct rounding *rounds;
    bool errs, moves;        /* as in struct second_evaluation */
    struct choices *choices; /* the lists of uncertain elements; NULL: there are none */
    struct edges *edges;     /* found by the first evaluation; NULL: there can be none */
    bool strays;             /* elements at an edge are NaN (edge.h) */
    /* the second evaluation if it is done beside this one, whose variances it changes; or NULL */
    struct traversal *beside;
    double margin; /* as in struct second_evaluation */
};

static bool is_given(const struct graph *graph, size_t index)
{
    return tensor_is_given(graph->values.items[index].role);
}

/* True if operand `i` is no longer needed once the node is computed. */
static bool is_used_up(const struct traversal *traversal, size_t node, size_t i)
{
    size_t index = traversal->graph->nodes.items[node].in[i];
    bool stays = traversal->graph->values.items[index].role == TENSOR_OUTPUT ||
                 (is_given(traversal->graph, index) && !traversal->seeds);

    return traversal->last_uses[index] == node && !stays;
}

static void draw_given(const struct traversal *traversal, size_t index)
{
    const struct value *value = &traversal->graph->values.items[index];
    bool is_param = value->role == TENSOR_PARAM;

    if (!is_given(traversal->graph, index) || traversal->values->items[index])
        return;
    oracle_draw(traversal->graph, index,
                is_param ? traversal->seeds->params : traversal->seeds->inputs, traversal->values);
    if (traversal->rounds && rounding_changes_given(traversal->rounds, value->dtype))
        rounding_apply(traversal->rounds, value->dtype, traversal->values->items[index],
                       element_count(traversal->graph, index));
}

/*
 * Memory for the result of a node. An elementwise result may overwrite an operand that is no longer
 * needed and has as many elements, hence the same shape. Other operations add their results to
 * zeros.
 */
static double *take_room(const struct traversal *traversal, size_t node,
                         const struct oracle_rule *rule)
{
    const struct graph_node *place = &traversal->graph->nodes.items[node];
    struct oracle_values *values = traversal->values;
    size_t count = element_count(traversal->graph, place->out);

    if (rule->evaluate != oracle_elements)
        return block_pool_take_zeroed(values->blocks, count, sizeof(double));
    for (size_t i = 0; i < place->in_count; i++) {
        double **operand = &values->items[place->in[i]];
        double *room = *operand;

        if (traversal->observer || values->rounding || traversal->errs ||
            !is_used_up(traversal, node, i) ||
            element_count(traversal->graph, place->in[i]) != count)
            continue;
        *operand = NULL;
        return room;
    }
    return block_pool_take(values->blocks, count, sizeof(double));
}

/* Make the variances of an input or param that is stored in another type. */
static void spread_given(const struct traversal *traversal, size_t index)
{
    const struct value *value = &traversal->graph->values.items[index];
    struct oracle_values *values = traversal->values;
    size_t count = element_count(traversal->graph, index);

    if (!is_given(traversal->graph, index) || values->variances[index] ||
        !rounding_changes_given(values->rounding, value->dtype))
        return;
    values->variances[index] = block_pool_take_zeroed(values->blocks, count, sizeof(double));
    rounding_add(values->rounding, value->dtype, values->items[index], count,
                 values->variances[index]);
}

/* The call for the variances of a node's result, of operands that are exact. */
static struct oracle_spread spread_of(const struct graph *graph, size_t node,
                                      const struct oracle_call *call,
                                      const struct rounding *rounding)
{
    return (struct oracle_spread){.call = *call,
                                  .is_mixed = rounding->is_mixed,
                                  .is_varied = rounding->is_varied,
                                  .is_dependent = dependence_in(graph, node, rounding),
                                  .is_of_one = dependence_on_one(graph, node),
                                  .is_distributed = dependence_may_distribute(graph, node),
                                  .later = dependence_later_product(graph, node, rounding)};
}

/* Add the variances of storing a result; what may be left out counts as if it was not. */
static void store_node(const struct traversal *traversal, size_t node,
                       const struct oracle_call *call, double *variance)
{
    size_t out = traversal->graph->nodes.items[node].out,
           count = element_count(traversal->graph, out);
    double *kept =
        traversal->choices ? choices_kept(traversal->choices, out, call->out, count) : NULL;

    rounding_add(traversal->values->rounding, call->op->out->dtype, kept ? kept : call->out, count,
                 variance);
    free(kept);
}

/* Compute the variances of the result of a node. */
static void spread_node(const struct traversal *traversal, size_t node,
                        const struct oracle_call *call, const struct oracle_rule *rule)
{
    const struct graph_node *place = &traversal->graph->nodes.items[node];
    struct oracle_values *values = traversal->values;
    struct oracle_spread spread = spread_of(traversal->graph, node, call, values->rounding);
    size_t count = element_count(traversal->graph, place->out);

    spread.choices = traversal->choices;
    spread.has_edge = traversal->edges && traversal->edges->may_be[node];
    for (size_t i = 0; i < place->in_count; i++) {
        spread_given(traversal, place->in[i]);
        spread.variance[i] = values->variances[place->in[i]];
        spread.names[i] = traversal->choices ? traversal->choices->names[place->in[i]] : NULL;
    }
    if (traversal->edges)
        edges_find(traversal->edges, node, &spread, rule, values->rounding);
    spread.out = block_pool_take_zeroed(values->blocks, count, sizeof(double));
    if (rule->spread)
        choices_spread(&spread, rule);
    if (traversal->choices)
        choices_find(traversal->choices, traversal->graph, node, &spread);
    if (!kept_elements_are(call->op, rule) &&
        !last_rounding_is(traversal->graph, place->out, values->rounding))
        store_node(traversal, node, call, spread.out);
    block_pool_give(values->blocks, values->variances[place->out]);
    values->variances[place->out] = spread.out;
}

/* Add the error to the result of a node that the node itself makes. */
static void err_node(const struct traversal *traversal, size_t node, const struct oracle_call *call,
                     const struct oracle_rule *rule)
{
    struct oracle_spread spread = spread_of(traversal->graph, node, call, traversal->rounds);
    size_t count = (size_t)shape_elements(&call->op->out->shape);

    if (!rule->spread || kept_elements_are(call->op, rule) || rule->errs_itself ||
        !dtype_is_float(call->op->out->dtype))
        return;
    spread.out = block_pool_take_zeroed(call->blocks, count, sizeof(double));
    rule->spread(&spread, rule);
    own_error_add(spread.out, count, call->out);
    block_pool_give(call->blocks, spread.out);
}

static enum status evaluate_node(const struct traversal *traversal, size_t node, struct error *err)
{
    struct op_call op = graph_call(traversal->graph, node);
    const struct graph_node *place = &traversal->graph->nodes.items[node];
    const struct oracle_rule *rule = oracle_rule_of(op.op->name);
    struct block_pool *blocks = traversal->values->blocks;
    double **values = traversal->values->items;
    struct oracle_call call = {.op = &op, .blocks = blocks};

    call.moves = traversal->moves && shared_error_is(traversal->graph, node);
    call.errs = traversal->errs;
    if (!rule)
        return error_set(err, STATUS_UNAVAILABLE, "the oracle does not support the operation %s",
                         op.op->name);
    for (size_t i = 0; i < op.in_count; i++) {
        if (traversal->seeds)
            draw_given(traversal, place->in[i]);
        call.in[i] = values[place->in[i]];
    }
    call.out = take_room(traversal, node, rule);
    block_pool_give(blocks, values[place->out]);
    values[place->out] = call.out;
    rule->evaluate(&call, rule);
    if (traversal->edges && traversal->strays)
        edges_stray(traversal->edges, node, &call);
    else if (traversal->edges && !traversal->values->rounding)
        edges_settle(traversal->edges, node, &call, rule);
    if (traversal->errs)
        err_node(traversal, node, &call, rule);
    if (traversal->rounds)
        rounding_apply(traversal->rounds, op.out->dtype, call.out,
                       element_count(traversal->graph, place->out));
    if (traversal->values->rounding)
        spread_node(traversal, node, &call, rule);
    return STATUS_OK;
}

static void free_used(const struct traversal *traversal, size_t node)
{
    const struct graph_node *done = &traversal->graph->nodes.items[node];
    struct oracle_values *values = traversal->values;

    for (size_t i = 0; i < done->in_count; i++) {
        if (!is_used_up(traversal, node, i))
            continue;
        block_pool_give(values->blocks, values->items[done->in[i]]);
        block_pool_give(values->blocks, values->variances[done->in[i]]);
        if (traversal->choices)
            choices_forget(traversal->choices, done->in[i]);
        values->items[done->in[i]] = NULL;
        values->variances[done->in[i]] = NULL;
    }
}

/* The observer is not called, because the evaluator does not report nodes. */
static enum status ask_evaluator(const struct traversal *traversal, struct error *err)
{
    const struct oracle_evaluator *evaluator = traversal->evaluator;

    if (!evaluator)
        return error_set(
            err, STATUS_INVALID,
            "the problem has no graph, and no PyTorch model that computes its outputs");
    for (size_t i = 0; i < traversal->graph->values.count && traversal->seeds; i++)
        draw_given(traversal, i);
    return evaluator->evaluate(evaluator->data, traversal->graph, traversal->values, err);
}

static void set_single(struct block_pool *blocks, double **single, double number)
{
    if (!*single)
        *single = block_pool_take(blocks, 1, sizeof(double));
    **single = number;
}

/* Set the constants, and the variances of those that float32 does not hold. */
static void set_constants(const struct traversal *traversal)
{
    struct oracle_values *values = traversal->values;

    for (size_t i = 0; i < traversal->graph->values.count; i++) {
        const struct value *value = &traversal->graph->values.items[i];
        double variance = rounding_constant_variance(value->dtype, value->fill.a);

        if (value->role != TENSOR_CONSTANT)
            continue;
        set_single(values->blocks, &values->items[i], value->fill.a);
        if (values->rounding && variance > 0)
            set_single(values->blocks, &values->variances[i], variance);
    }
}

/* Evaluate a node beside the first evaluation, and change the variances of its result. */
static enum status evaluate_beside(const struct traversal *exact, size_t node, struct error *err)
{
    size_t out = exact->graph->nodes.items[node].out;
    enum status st = evaluate_node(exact->beside, node, err);

    if (!st && exact->choices && choice_decides(exact->graph, node))
        memcpy(exact->beside->values->items[out], exact->values->items[out],
               element_count(exact->graph, out) * sizeof(double));
    if (!st && exact->beside->errs && second_evaluation_fits(exact->graph, node))
        rounding_fit(exact->values->items[out], exact->beside->values->items[out],
                     element_count(exact->graph, out), exact->margin,
                     exact->values->variances[out]);
    free_used(exact->beside, node);
    return st;
}

static enum status follow(struct traversal *traversal, struct error *err)
{
    struct traversal *beside = traversal->beside;
    enum status st = STATUS_OK;

    if (traversal->graph->nodes.count == 0)
        return ask_evaluator(traversal, err);
    traversal->last_uses = oracle_last_uses(traversal->graph);
    set_constants(traversal);
    if (beside) {
        beside->last_uses = traversal->last_uses;
        set_constants(beside);
    }
    for (size_t n = 0; !st && n < traversal->graph->nodes.count; n++) {
        st = evaluate_node(traversal, n, err);
        if (!st && beside)
            st = evaluate_beside(traversal, n, err);
        if (!st && traversal->observer)
            traversal->observer->computed(traversal->observer->data, traversal->values, n);
        free_used(traversal, n);
    }
    free(traversal->last_uses);
    return st;
}

enum status oracle_evaluate(const struct graph *graph, struct oracle_values *values,
                            struct error *err)
{
    struct traversal traversal = {.graph = graph, .values = values};

    return follow(&traversal, err);
}

/* Change the variances of an output by its elements of the second evaluation. */
static void fit_output(const struct traversal *exact, const struct traversal *second, double margin,
                       size_t index)
{
    const double *expected = exact->values->items[index], *other = second->values->items[index];
    double *variance = exact->values->variances[index];
    size_t count = element_count(exact->graph, index);
    bool is_float = dtype_is_float(exact->graph->values.items[index].dtype);

    if (second->rounds)
        rounding_fit(expected, other, count, is_float ? margin : (double)INFINITY, variance);
    else if (is_float)
        shared_error_widen(expected, other, count, variance);
}

/* Copy the inputs and params that were given, as the second evaluation takes them. */
static void take_given(const struct traversal *exact, const struct traversal *second)
{
    for (size_t i = 0; i < exact->graph->values.count; i++) {
        size_t count = element_count(exact->graph, i);
        enum dtype dtype = exact->graph->values.items[i].dtype;
        double *copy;

        if (!is_given(exact->graph, i) || !exact->values->items[i])
            continue;
        copy = block_pool_take(second->values->blocks, count, sizeof(*copy));
        memcpy(copy, exact->values->items[i], count * sizeof(*copy));
        if (second->rounds && rounding_changes_given(second->rounds, dtype))
            rounding_apply(second->rounds, dtype, copy, count);
        second->values->items[i] = copy;
    }
}

/* Evaluate the graph twice, side by side or one after the other, and change the variances. */
static enum status evaluate_twice(struct traversal *exact, const struct second_evaluation *second,
                                  struct error *err)
{
    const struct graph *graph = exact->graph;
    struct oracle_values other = oracle_values_make(graph);
    struct traversal again = {.graph = graph,
                              .values = &other,
                              .seeds = exact->seeds,
                              .rounds = second->rounds ? exact->values->rounding : NULL,
                              .errs = second->errs,
                              .moves = second->moves,
                              .edges = exact->edges};
    enum status st;

    other.blocks = exact->values->blocks;
    exact->beside = second->errs || exact->choices ? &again : NULL;
    exact->margin = second->margin;
    if (exact->beside && !exact->seeds)
        take_given(exact, &again);
    st = follow(exact, err);
    if (!st && !exact->beside && !exact->seeds)
        take_given(exact, &again);
    if (!st && !exact->beside)
        st = follow(&again, err);
    for (size_t i = 0; !st && i < graph->values.count; i++)
        if (graph->values.items[i].role == TENSOR_OUTPUT)
            fit_output(exact, &again, second->margin, i);
    oracle_values_release(&other);
    return st;
}

/* Evaluate the graph with NaN at the edges of domains, if elements are there. */
static enum status evaluate_strays(struct traversal *exact, struct error *err)
{
    struct oracle_values other;
    struct traversal again = {.graph = exact->graph,
                              .values = &other,
                              .seeds = exact->seeds,
                              .edges = exact->edges,
                              .strays = true};
    enum status st;

    if (!exact->edges || !exact->edges->has_any)
        return STATUS_OK;
    other = oracle_values_make(exact->graph);
    other.blocks = exact->values->blocks;
    if (!exact->seeds)
        take_given(exact, &again);
    st = follow(&again, err);
    for (size_t i = 0; !st && i < exact->graph->values.count; i++)
        if (exact->graph->values.items[i].role == TENSOR_OUTPUT)
            edges_widen(exact->values->items[i], other.items[i], element_count(exact->graph, i),
                        exact->values->variances[i]);
    oracle_values_release(&other);
    return st;
}

/* Evaluate the graph, and again if its variances depend on that. */
static enum status evaluate_all(struct traversal *exact, struct error *err)
{
    struct second_evaluation second = {0};
    enum status st;

    if (exact->values->rounding && exact->graph->nodes.count > 0)
        second = second_evaluation_of(exact->graph, exact->values->rounding);
    if (exact->values->rounding && choices_in(exact->graph, exact->values->rounding))
        exact->choices = choices_new(exact->graph);
    if (exact->values->rounding)
        exact->edges = edges_new(exact->graph);
    /* With given values alone shallow graphs are evaluated once: their variances are near enough.
     */
    if (second.errs || (exact->seeds && (second.rounds || second.moves)))
        st = evaluate_twice(exact, &second, err);
    else
        st = follow(exact, err);
    if (!st)
        st = evaluate_strays(exact, err);
    choices_free(exact->choices);
    edges_free(exact->edges);
    exact->choices = NULL;
    exact->edges = NULL;
    return st;
}

enum status oracle_observe(const struct graph *graph, const struct oracle_evaluator *evaluator,
                           const struct oracle_observer *observer, struct oracle_values *values,
                           struct error *err)
{
    struct traversal traversal = {
        .graph = graph, .evaluator = evaluator, .values = values, .observer = observer};

    return evaluate_all(&traversal, err);
}

enum status oracle_expect(const struct graph *graph, const struct oracle_evaluator *evaluator,
                          const struct oracle_seeds *seeds, struct oracle_values *values,
                          struct error *err)
{
    struct oracle_values made = oracle_values_make(graph);
    struct traversal traversal = {
        .graph = graph, .evaluator = evaluator, .values = &made, .seeds = seeds};
    enum status st;

    made.rounding = values->rounding;
    made.blocks = values->blocks;
    made.first = values->first;
    st = evaluate_all(&traversal, err);
    if (st)
        oracle_values_release(&made);
    else
        *values = made;
    return st;
}
