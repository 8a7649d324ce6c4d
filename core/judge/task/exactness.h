#ifndef CORE_JUDGE_TASK_EXACTNESS_H
#define CORE_JUDGE_TASK_EXACTNESS_H

#include "core/model/graph.h"

/*
 * Finds values that no rounding changes. All implementations agree on every bit of such values,
 * even if operands are equal or nearly equal.
 */

/*
 * An array with an entry for each value of the graph: true for integers and bools that are computed
 * from inputs and params by comparisons, choices and integer arithmetic alone, without a rounded
 * number in between. All entries are false for a problem without a graph, because its integers may
 * be the places of equal elements. The caller frees the array.
 */
bool *exactness_of(const struct graph *graph);

/* True if no operation rounds any output, so that an honest kernel has it right on all data. */
bool exactness_has_graph(const struct graph *graph);

/* True if each element of the result is an element of the operand, or the place of one. */
bool exactness_is_selection(const struct graph_node *node);

#endif
