#ifndef CORE_JUDGE_ORACLE_ORACLE_H
#define CORE_JUDGE_ORACLE_ORACLE_H

#include "core/judge/oracle/oracle_values.h"

/*
 * The oracle: it computes expected outputs by evaluating a graph in double precision, node by node,
 * on all cores, from inputs in their own element types. It defines the meaning of every operation.
 */

/*
 * The operations of an evaluation without variances: graph_flops(), and more for transposed
 * convolutions with strides.
 */
double oracle_flops(const struct graph *graph);

/*
 * Evaluate the graph node by node.  `values` holds the inputs and params, already rounded to their
 * element types, and receives every output.  Inner values are freed as soon as they have been used.
 * A graph without nodes is an error.
 */
enum status oracle_evaluate(const struct graph *graph, struct oracle_values *values,
                            struct error *err) MUST_CHECK;

/*
 * Like oracle_evaluate(), and calls the observer after each node. `evaluator` computes the outputs
 * of a graph without nodes, without calling the observer; if it is NULL, such a graph is
 * STATUS_INVALID.
 */
enum status oracle_observe(const struct graph *graph, const struct oracle_evaluator *evaluator,
                           const struct oracle_observer *observer, struct oracle_values *values,
                           struct error *err) MUST_CHECK;

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
