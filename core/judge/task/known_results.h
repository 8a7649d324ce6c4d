#ifndef CORE_JUDGE_TASK_KNOWN_RESULTS_H
#define CORE_JUDGE_TASK_KNOWN_RESULTS_H

#include "core/judge/oracle/oracle.h"

/*
 * Finds reductions with known results: a sum, mean, variance or maximum of many random elements is
 * nearly the same number everywhere, and follows from the fill. A kernel that uses this number
 * instead of the reduction, or that reduces only half of the elements, may then be within a wide
 * tolerance.
 */

struct known_result {
    /* all outputs stay within the tolerance if `number` replaces the node's results */
    bool is_known;
    double number;
};

/* True if the node is a reduction with several results that other nodes use. */
bool known_results_may_be(const struct graph *graph, size_t node);

/* Move the inputs and params from one evaluation to another. */
void known_results_take_given(const struct graph *graph, struct oracle_values *from,
                              struct oracle_values *to);

/*
 * Evaluate the graph with each result of the node replaced by the mean of its results, which is
 * stored in `number`. `values` has the inputs and params, and receives the outputs.
 */
enum status known_results_evaluate(const struct graph *graph, size_t node,
                                   struct oracle_values *values, double *number,
                                   struct error *err) MUST_CHECK;

#endif
