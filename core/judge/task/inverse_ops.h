#ifndef CORE_JUDGE_TASK_INVERSE_OPS_H
#define CORE_JUDGE_TASK_INVERSE_OPS_H

#include "core/model/graph.h"

/*
 * Detects operations that undo earlier ones: in x + 5 - 5, the last operation returns x. Each
 * evaluation of the graph confirms or refutes that a node is such an operation. Only a sample of
 * each tensor's elements is compared, with other data in each evaluation, so a difference in a few
 * elements may stay unnoticed.
 *
 * Operations that only move elements are not reported, because moving them back is how shapes are
 * changed.
 */
struct inverse_ops;

/* Begin without any evaluation. Borrows the graph. */
struct inverse_ops *inverse_ops_new(const struct graph *graph);
void inverse_ops_free(struct inverse_ops *inverse);

/* Show the elements of a value in this evaluation. */
void inverse_ops_see_value(struct inverse_ops *inverse, size_t value, const double *elements);

/*
 * Compare the result of `node` with earlier values. This evaluation must have shown all of them and
 * the result.
 */
void inverse_ops_see_node(struct inverse_ops *inverse, size_t node);

/*
 * The earlier value, not one of its operands, that equals the node's result in every evaluation so
 * far; -1 if there is none.
 */
long inverse_ops_to(const struct inverse_ops *inverse, size_t node);

#endif
