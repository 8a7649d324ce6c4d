#ifndef CORE_JUDGE_ORACLE_ORACLE_VALUES_H
#define CORE_JUDGE_ORACLE_ORACLE_VALUES_H

#include "core/judge/oracle/rounding/rounding.h"
#include "core/model/graph.h"
#include "core/system/memory/block_pool.h"

/* The values that an evaluation of the oracle (oracle.h) reads and makes. */

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
 * Computes the outputs of a graph without nodes, whose operations are not known, so that the oracle
 * cannot. The bridge to PyTorch is such an evaluator.
 */
struct oracle_evaluator {
    enum status (*evaluate)(void *data, const struct graph *graph, struct oracle_values *values,
                            struct error *err);
    void *data;
};

/* Called after each node, when its result and its operands are both in memory. */
struct oracle_observer {
    void (*computed)(void *data, const struct oracle_values *values, size_t node);
    void *data;
};

/* Make the input or param `index` from `seed` (fill.h), replacing the current one. */
void oracle_draw(const struct graph *graph, size_t index, uint64_t seed,
                 struct oracle_values *values);

/* The seeds that params and inputs are made from. */
struct oracle_seeds {
    uint64_t params, inputs;
};

#endif
