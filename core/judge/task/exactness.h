#ifndef CORE_JUDGE_TASK_EXACTNESS_H
#define CORE_JUDGE_TASK_EXACTNESS_H

#include "core/model/graph.h"

/*
 * Values that no rounding changes. Implementations agree on such values in every bit, also where
 * operands are equal or nearly so.
 */

/*
 * By value of the graph: true for integers and bools that are computed from given tensors by
 * comparisons, choices and arithmetic of integers only, with no rounded number between. Nobody
 * knows that of a problem without a graph, whose integers may be places of equal elements. The
 * caller frees.
 */
bool *exactness_of(const struct graph *graph);

/* True if each element of the result is one of the operand's elements, or its place. */
bool exactness_is_selection(const struct graph_node *node);

#endif
