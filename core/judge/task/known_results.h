#ifndef CORE_JUDGE_TASK_KNOWN_RESULTS_H
#define CORE_JUDGE_TASK_KNOWN_RESULTS_H

#include "core/judge/oracle/oracle.h"

/*
 * Shortcuts by moments: a sum, mean, variance or maximum of many drawn elements is nearly the same
 * number in all places, which follows from the fill. A kernel with that number in place of the
 * reduction, or with a reduction of half of the elements, may be within a wide tolerance.
 */

struct known_result {
    bool is_known; /* with `number` for the node's results no output is beyond the tolerance */
    double number;
};

/* True if the node reduces elements to several numbers that other nodes use. */
bool known_results_may_be(const struct graph *graph, size_t node);

/* Move the inputs and params from one evaluation to another. */
void known_results_take_given(const struct graph *graph, struct oracle_values *from,
                              struct oracle_values *to);

/*
 * Evaluate the graph with the mean of the node's results, which `number` receives, in place of
 * each. `values` has the inputs and params, and receives the outputs.
 */
enum status known_results_evaluate(const struct graph *graph, size_t node,
                                   struct oracle_values *values, double *number,
                                   struct error *err) MUST_CHECK;

#endif
