#ifndef CORE_JUDGE_UNDONE_H
#define CORE_JUDGE_UNDONE_H

#include "core/model/graph.h"

/*
 * Operations that only undo what others did before them: of x + 5 - 5 the
 * last gives back x.  Each evaluation of the graph speaks against it or does
 * not; of large tensors some elements are looked at, others in the next one
 * with other data, so what a few elements differ in counts as nothing.
 *
 * Moving elements back is no such operation: it is how shapes are changed.
 */
struct undone;

struct undone *undone_new(const struct graph *graph); /* borrowed */
void undone_free(struct undone *undone);

/* The elements of a value, in this evaluation. */
void undone_see_value(struct undone *undone, size_t value, const double *elements);

/* All values that `node` comes of, and its result, have been seen in this evaluation. */
void undone_see_node(struct undone *undone, size_t node);

/* The value that the node has always given back, none of its own operands; -1 for none. */
long undone_to(const struct undone *undone, size_t node);

#endif
