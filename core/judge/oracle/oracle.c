#include "core/judge/oracle/oracle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/judge/oracle/rounding/second_evaluation.h"
#include "core/judge/oracle/traversal.h"

static size_t element_count(const struct graph *graph, size_t index)
{
    return (size_t)shape_elements(&graph->values.items[index].shape);
}

static bool is_given(const struct graph *graph, size_t index)
{
    return tensor_is_given(graph->values.items[index].role);
}

enum status oracle_evaluate(const struct graph *graph, struct oracle_values *values,
                            struct error *err)
{
    struct traversal traversal = {.graph = graph, .values = values};

    return traversal_follow(&traversal, err);
}

/* Change the variances of an output by its elements of the second evaluation. */
static void fit_output(const struct traversal *exact, bool rounds, const double *second,
                       size_t index)
{
    const double *expected = exact->values->items[index];
    double *variance = exact->values->variances[index];
    size_t count = element_count(exact->graph, index);
    bool is_float = dtype_is_float(exact->graph->values.items[index].dtype);

    if (rounds)
        rounding_fit(expected, second, count, is_float ? exact->margin : (double)INFINITY,
                     variance);
    else if (is_float)
        shared_error_widen(expected, second, count, variance);
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

/* The second evaluation with this number. */
static struct traversal second_of(const struct traversal *exact,
                                  const struct second_evaluation *second, size_t evaluation,
                                  struct oracle_values *values)
{
    bool rounds = second->rounds || second->is_chain;

    *values = oracle_values_make(exact->graph);
    values->blocks = exact->values->blocks;
    return (struct traversal){.graph = exact->graph,
                              .values = values,
                              .seeds = exact->seeds,
                              .rounds = rounds ? exact->values->rounding : NULL,
                              .errs = second->errs || second->is_chain,
                              .moves = second->moves && !rounds,
                              .edges = exact->edges,
                              .whole = exact->whole,
                              .evaluation = evaluation};
}

/*
 * Evaluate the graph more than once, side by side or one after the other, and change the variances.
 */
static enum status evaluate_twice(struct traversal *exact, const struct second_evaluation *second,
                                  struct error *err)
{
    const struct graph *graph = exact->graph;
    struct oracle_values values[CHAIN_EVALUATIONS] = {0};
    struct traversal others[CHAIN_EVALUATIONS] = {0};
    size_t count = second->is_chain ? CHAIN_EVALUATIONS : 1;
    enum status st;

    for (size_t e = 0; e < count; e++)
        others[e] = second_of(exact, second, e, &values[e]);
    exact->beside = others;
    exact->beside_count = others[0].errs || exact->choices ? count : 0;
    exact->is_chain = second->is_chain;
    exact->margin = second->margin;
    for (size_t e = 0; e < exact->beside_count && !exact->seeds; e++)
        take_given(exact, &others[e]);
    st = traversal_follow(exact, err);
    if (!st && exact->beside_count == 0 && !exact->seeds)
        take_given(exact, &others[0]);
    if (!st && exact->beside_count == 0)
        st = traversal_follow(&others[0], err);
    exact->beside_count = count;
    for (size_t i = 0; !st && i < graph->values.count; i++) {
        double *found =
            graph->values.items[i].role == TENSOR_OUTPUT ? traversal_second(exact, i) : NULL;

        if (found)
            fit_output(exact, others[0].rounds, found, i);
        free(found);
    }
    exact->beside_count = 0;
    for (size_t e = 0; e < count; e++)
        oracle_values_release(&values[e]);
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
    st = traversal_follow(&again, err);
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
    enum wholeness *whole = NULL;
    enum status st;

    if (exact->values->rounding && exact->graph->nodes.count > 0)
        second = second_evaluation_of(exact->graph, exact->values->rounding);
    if (exact->values->rounding && choices_in(exact->graph, exact->values->rounding))
        exact->choices = choices_new(exact->graph);
    if (exact->values->rounding) {
        exact->edges = edges_new(exact->graph);
        exact->whole = whole = wholeness_of(exact->graph);
    }
    /* With given values alone shallow graphs are evaluated once: their variances are near enough.
     */
    if (second.errs || second.is_chain || (exact->seeds && (second.rounds || second.moves)))
        st = evaluate_twice(exact, &second, err);
    else
        st = traversal_follow(exact, err);
    if (!st)
        st = evaluate_strays(exact, err);
    choices_free(exact->choices);
    edges_free(exact->edges);
    free(whole);
    exact->choices = NULL;
    exact->edges = NULL;
    exact->whole = NULL;
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
