#ifndef CORE_JUDGE_ORACLE_ORACLE_H
#define CORE_JUDGE_ORACLE_ORACLE_H

#include "core/model/graph.h"

/*
 * Expected outputs: the graph evaluated in double precision, node by node,
 * on all cores, from inputs in their own element types.  This is the
 * definition of what every operation means.
 */

/* Values of a graph in double precision; items[i] belongs to graph->values.items[i]. */
struct oracle_values {
    double **items; /* row-major; NULL where not yet known */
    size_t count;
};

/* None of the values of `graph` known. */
struct oracle_values oracle_values_make(const struct graph *graph);
void oracle_values_release(struct oracle_values *values);

/* The most memory that evaluating takes at a time before an observer's eyes, in bytes; without one
 * it may take less. */
double oracle_bytes(const struct graph *graph);

/*
 * Evaluate: `values` holds the inputs and params, already rounded to their
 * element types, and gets every output; inner values are freed as soon as
 * they have been used.  Where the graph is not known its bridge is asked;
 * STATUS_INVALID where there is none.
 */
enum status oracle_evaluate(const struct graph *graph, struct oracle_values *values,
                            struct error *err) MUST_CHECK;

/* Hears of every node when its result is there and its operands still are. */
struct oracle_observer {
    void (*computed)(void *data, const struct oracle_values *values, size_t node);
    void *data;
};

/* oracle_evaluate() before somebody's eyes. */
enum status oracle_observe(const struct graph *graph, struct oracle_values *values,
                           const struct oracle_observer *observer, struct error *err) MUST_CHECK;

/* Make the input or param `index` from `seed` as fill.h says, in place of what is there. */
void oracle_draw(const struct graph *graph, size_t index, uint64_t seed,
                 struct oracle_values *values);

/* What params and inputs are made from. */
struct oracle_seeds {
    uint64_t params, inputs;
};

/*
 * What comes of params and inputs that are drawn from their seeds: each is made when it is first
 * needed, and freed like an inner value, so that `values` gets the outputs, and perhaps more.
 */
enum status oracle_expect(const struct graph *graph, const struct oracle_seeds *seeds,
                          struct oracle_values *values, struct error *err) MUST_CHECK;

#endif
