#ifndef CORE_JUDGE_ORACLE_ORACLE_H
#define CORE_JUDGE_ORACLE_ORACLE_H

#include "core/judge/oracle/rounding/rounding.h"
#include "core/model/graph.h"
#include "core/system/block_pool.h"

/*
 * The oracle: it computes expected outputs by evaluating a graph in double precision, node by node,
 * on all cores, from inputs in their own element types. It defines the meaning of every operation.
 */

/*
 * Values of a graph in double precision; items[i] belongs to graph->values.items[i].
 *
 * A caller that sets `rounding` also gets the variances of the rounding errors (rounding.h) of the
 * outputs. An evaluator computes none. One that sets `blocks` lets several evaluations use the same
 * memory in turn (block_pool.h).
 */
struct oracle_values {
    double **items; /* row-major; NULL where not computed */
    size_t count;
    const struct rounding *rounding; /* borrowed; NULL for no variances */
    double **variances;              /* as `items`; NULL if not computed, and if all are 0 */
    /* the pool from which items and variances are allocated; borrowed; may be NULL */
    struct block_pool *blocks;
    /* the first element of the piece that the graph describes (oracle_pieces.h), else 0 */
    size_t first;
};

/* Values of `graph`, none of them computed. */
struct oracle_values oracle_values_make(const struct graph *graph);
void oracle_values_release(struct oracle_values *values);

/*
 * The operations of an evaluation without variances: graph_flops(), and more for transposed
 * convolutions with strides.
 */
double oracle_flops(const struct graph *graph);

/*
 * Computes the outputs of a graph without nodes, whose operations are not known, so that the oracle
 * cannot. The bridge to PyTorch is such an evaluator.
 */
struct oracle_evaluator {
    enum status (*evaluate)(void *data, const struct graph *graph, struct oracle_values *values,
                            struct error *err);
    void *data;
};

/*
 * Evaluate the graph node by node.  `values` holds the inputs and params, already rounded to their
 * element types, and receives every output.  Inner values are freed as soon as they have been used.
 * A graph without nodes is an error.
 */
enum status oracle_evaluate(const struct graph *graph, struct oracle_values *values,
                            struct error *err) MUST_CHECK;

/* Called after each node, when its result and its operands are both in memory. */
struct oracle_observer {
    void (*computed)(void *data, const struct oracle_values *values, size_t node);
    void *data;
};

/*
 * Like oracle_evaluate(), and calls the observer after each node. `evaluator` computes the outputs
 * of a graph without nodes, without calling the observer; if it is NULL, such a graph is
 * STATUS_INVALID.
 */
enum status oracle_observe(const struct graph *graph, const struct oracle_evaluator *evaluator,
                           const struct oracle_observer *observer, struct oracle_values *values,
                           struct error *err) MUST_CHECK;

/* Make the input or param `index` from `seed` (fill.h), replacing the current one. */
void oracle_draw(const struct graph *graph, size_t index, uint64_t seed,
                 struct oracle_values *values);

/* The seeds that params and inputs are made from. */
struct oracle_seeds {
    uint64_t params, inputs;
};

/*
 * Compute the outputs for params and inputs drawn from their seeds.  Each of these is made when it
 * is first needed and freed like an inner value, so `values` receives the outputs and possibly
 * some others.  values->rounding, blocks and first are read, the rest replaced.  `evaluator` as
 * for oracle_observe().
 */
enum status oracle_expect(const struct graph *graph, const struct oracle_evaluator *evaluator,
                          const struct oracle_seeds *seeds, struct oracle_values *values,
                          struct error *err) MUST_CHECK;

#endif
