#include "core/judge/oracle/traversal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/judge/oracle/choice/choice_search.h"
#include "core/judge/oracle/choice/choice_spread.h"
#include "core/judge/oracle/oracle_family.h"
#include "core/judge/oracle/oracle_memory.h"
#include "core/judge/oracle/rounding/dependence.h"
#include "core/judge/oracle/rounding/kept_elements.h"
#include "core/judge/oracle/rounding/second_evaluation.h"
#include "core/judge/oracle/rounding/spread_contest.h"

static size_t element_count(const struct graph *graph, size_t index)
{
    return (size_t)shape_elements(&graph->values.items[index].shape);
}

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

static enum wholeness wholeness(const struct traversal *traversal, size_t value)
{
    return traversal->whole ? traversal->whole[value] : WHOLE_NOT;
}

/* Make the variances of an input or param that is stored in another type. */
static void spread_given(const struct traversal *traversal, size_t index)
{
    const struct value *value = &traversal->graph->values.items[index];
    struct oracle_values *values = traversal->values;
    size_t count = element_count(traversal->graph, index);

    if (!is_given(traversal->graph, index) || values->variances[index] ||
        wholeness(traversal, index) == WHOLE_EXACT ||
        !rounding_changes_given(values->rounding, value->dtype))
        return;
    values->variances[index] = block_pool_take_zeroed(values->blocks, count, sizeof(double));
    rounding_add_given(values->rounding, value->dtype, values->items[index], count,
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
                                  .equality = dependence_equality(graph, node),
                                  .is_distributed = dependence_may_distribute(graph, node),
                                  .pairs = dependence_pairs(graph, node, rounding),
                                  .later = dependence_later_product(graph, node, rounding)};
}

/* Add the variances of storing whole numbers: small ones are stored as they are. */
static void store_whole(const struct rounding *rounding, enum dtype dtype, const double *x,
                        size_t count, double *variance)
{
    double limit = whole_number_limit(rounding->is_mixed);

    for (size_t i = 0; i < count; i++)
        if (fabs(x[i]) > limit || x[i] != rint(x[i]))
            rounding_add(rounding, dtype, x + i, 1, variance + i);
}

/* Add the variances of storing a result; what may be left out counts as if it was not. */
static void store_node(const struct traversal *traversal, size_t node,
                       const struct oracle_call *call, const struct oracle_rule *rule,
                       double *variance)
{
    size_t out = traversal->graph->nodes.items[node].out,
           count = element_count(traversal->graph, out);
    const struct rounding *rounding = traversal->values->rounding;
    double *kept =
        traversal->choices ? choices_kept(traversal->choices, out, call->out, count) : NULL;
    const double *x = kept ? kept : call->out;

    if (wholeness(traversal, out) == WHOLE_NOT && kept_zeros_are(call->op, rule))
        rounding_add_but_zeros(rounding, call->op->out->dtype, x, count, variance);
    else if (wholeness(traversal, out) == WHOLE_NOT)
        rounding_add(rounding, call->op->out->dtype, x, count, variance);
    else
        store_whole(rounding, call->op->out->dtype, x, count, variance);
    free(kept);
}

/*
 * The variance of an operand as a comparison has it (dependence_compares_exact_sum()); NULL if that
 * is no other one.
 */
static double *spread_compared(const struct traversal *traversal, size_t node, size_t operand)
{
    const struct oracle_values *values = traversal->values;
    size_t index = traversal->graph->nodes.items[node].in[operand],
           count = element_count(traversal->graph, index);
    double *variance;

    if (!dependence_compares_exact_sum(traversal->graph, node, operand, values->rounding))
        return NULL;
    variance = block_pool_take_zeroed(values->blocks, count, sizeof(double));
    rounding_add_but_zeros(values->rounding, traversal->graph->values.items[index].dtype,
                           values->items[index], count, variance);
    return variance;
}

static void clear_zeros(const struct oracle_call *call, double *variance)
{
    size_t count = (size_t)shape_elements(&call->op->out->shape);

    for (size_t i = 0; i < count; i++)
        variance[i] = call->out[i] == 0 ? 0 : variance[i];
}

/* Find whether the largest elements of windows that a comparison looks for have rivals. */
static void contest_windows(const struct traversal *traversal, size_t node,
                            const struct oracle_spread *spread)
{
    const struct graph *graph = traversal->graph;
    const struct graph_node *own = &graph->nodes.items[node];

    for (size_t n = 0; spread->equality == EQUAL_SELECTED && n < node; n++) {
        const struct graph_node *window = &graph->nodes.items[n];
        size_t k = window->out == own->in[1];
        struct op_call call = graph_call(graph, n);

        if (window->out != own->in[k] || window->in[0] != own->in[1 - k] ||
            !shape_equals(&call.in[0]->shape, &call.out->shape))
            continue;
        if (window->op->kind == OP_WINDOW)
            spread_contest_windows(spread, &call, k);
        else if (strcmp(window->op->name, "cummax") == 0)
            spread_contest_scan(spread, &call, k);
    }
}

/* Compute the variances of the result of a node. */
static void spread_node(const struct traversal *traversal, size_t node,
                        const struct oracle_call *call, const struct oracle_rule *rule)
{
    const struct graph_node *place = &traversal->graph->nodes.items[node];
    struct oracle_values *values = traversal->values;
    struct oracle_spread spread = spread_of(traversal->graph, node, call, values->rounding);
    size_t count = element_count(traversal->graph, place->out);
    enum wholeness whole = wholeness(traversal, place->out);
    double *compared[OP_MAX_INPUTS] = {NULL};

    spread.is_distributed &= whole == WHOLE_NOT; /* terms that are whole are not rounded either */
    spread.choices = traversal->choices;
    spread.has_edge = traversal->edges && traversal->edges->may_be[node];
    for (size_t i = 0; i < place->in_count; i++) {
        spread_given(traversal, place->in[i]);
        compared[i] = spread_compared(traversal, node, i);
        spread.variance[i] = compared[i] ? compared[i] : values->variances[place->in[i]];
        spread.names[i] = traversal->choices ? traversal->choices->names[place->in[i]] : NULL;
    }
    if (traversal->edges)
        edges_find(traversal->edges, node, &spread, rule, values->rounding);
    spread.out = block_pool_take_zeroed(values->blocks, count, sizeof(double));
    if (rule->spread && whole != WHOLE_EXACT)
        choices_spread(&spread, rule);
    contest_windows(traversal, node, &spread);
    if (whole == WHOLE_REST)
        clear_zeros(call, spread.out);
    if (traversal->choices)
        choices_find(traversal->choices, traversal->graph, node, &spread);
    if (!kept_elements_are(call->op, rule) && whole != WHOLE_EXACT &&
        !last_rounding_is(traversal->graph, place->out, values->rounding))
        store_node(traversal, node, call, rule, spread.out);
    if (traversal->choices && call->op->out->role == TENSOR_OUTPUT &&
        dtype_is_float(call->op->out->dtype))
        choices_settle(traversal->choices, place->out, call->out, count, spread.out);
    for (size_t i = 0; i < place->in_count; i++)
        block_pool_give(values->blocks, compared[i]);
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
        wholeness(traversal, traversal->graph->nodes.items[node].out) == WHOLE_EXACT ||
        !dtype_is_float(call->op->out->dtype))
        return;
    spread.out = block_pool_take_zeroed(call->blocks, count, sizeof(double));
    rule->spread(&spread, rule);
    own_error_add(spread.out, count, traversal->evaluation, call->out);
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
    if (traversal->rounds && wholeness(traversal, place->out) != WHOLE_EXACT)
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

double *traversal_second(const struct traversal *traversal, size_t value)
{
    const double *exact = traversal->values->items[value];
    size_t count = element_count(traversal->graph, value), several = traversal->beside_count;
    double *second = mem_alloc_zeroed(count, sizeof(*second));

    for (size_t b = 0; b < several; b++) {
        const double *other = traversal->beside[b].values->items[value];

        for (size_t i = 0; i < count; i++)
            second[i] += several == 1 ? other[i] : (other[i] - exact[i]) * (other[i] - exact[i]);
    }
    for (size_t i = 0; i < count && several > 1; i++)
        second[i] = exact[i] + sqrt(second[i] / (double)several);
    return second;
}

/* Change the variances of a node's result by the errors of the evaluations beside. */
static void fit_node(const struct traversal *exact, size_t node)
{
    size_t out = exact->graph->nodes.items[node].out;
    bool fits = exact->is_chain ? second_evaluation_fits_chain(exact->graph, node)
                                : second_evaluation_fits(exact->graph, node);
    double *second;

    if (!exact->beside->errs || !fits)
        return;
    second = traversal_second(exact, out);
    rounding_fit(exact->values->items[out], second, element_count(exact->graph, out), exact->margin,
                 exact->values->variances[out]);
    free(second);
}

/* Evaluate a node beside the first evaluation, and change the variances of its result. */
static enum status evaluate_beside(const struct traversal *exact, size_t node, struct error *err)
{
    size_t out = exact->graph->nodes.items[node].out;
    enum status st = STATUS_OK;

    for (size_t b = 0; !st && b < exact->beside_count; b++) {
        st = evaluate_node(&exact->beside[b], node, err);
        if (!st && exact->choices && choice_decides(exact->graph, node))
            memcpy(exact->beside[b].values->items[out], exact->values->items[out],
                   element_count(exact->graph, out) * sizeof(double));
    }
    if (!st)
        fit_node(exact, node);
    for (size_t b = 0; b < exact->beside_count; b++)
        free_used(&exact->beside[b], node);
    return st;
}

enum status traversal_follow(struct traversal *traversal, struct error *err)
{
    enum status st = STATUS_OK;

    if (traversal->graph->nodes.count == 0)
        return ask_evaluator(traversal, err);
    traversal->last_uses = oracle_last_uses(traversal->graph);
    set_constants(traversal);
    for (size_t b = 0; b < traversal->beside_count; b++) {
        traversal->beside[b].last_uses = traversal->last_uses;
        set_constants(&traversal->beside[b]);
    }
    for (size_t n = 0; !st && n < traversal->graph->nodes.count; n++) {
        st = evaluate_node(traversal, n, err);
        if (!st && traversal->beside_count > 0)
            st = evaluate_beside(traversal, n, err);
        if (!st && traversal->observer)
            traversal->observer->computed(traversal->observer->data, traversal->values, n);
        free_used(traversal, n);
    }
    free(traversal->last_uses);
    return st;
}
