#ifndef CORE_JUDGE_TASK_INVERSE_OPS_H
#define CORE_JUDGE_TASK_INVERSE_OPS_H

#include "core/model/graph.h"

/*
 * Operations that only undo what others did before them: of x + 5 - 5 the
 * last gives back x.  Each evaluation of the graph speaks against it or does
 * not; of large tensors some elements are looked at, others in the next one
 * with other data, so what a few elements differ in counts as nothing.
 *
 * Moving elements back is no such operation: it is how shapes are changed.
 */
struct inverse_ops;

struct inverse_ops *inverse_ops_new(const struct graph *graph); /* borrowed */
void inverse_ops_free(struct inverse_ops *inverse);

/* The elements of a value, in this evaluation. */
void inverse_ops_see_value(struct inverse_ops *inverse, size_t value, const double *elements);

/* All values that `node` comes of, and its result, have been seen in this evaluation. */
void inverse_ops_see_node(struct inverse_ops *inverse, size_t node);

/* The value that the node has always given back, none of its own operands; -1 for none. */
long inverse_ops_to(const struct inverse_ops *inverse, size_t node);

#endif
