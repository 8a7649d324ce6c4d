#ifndef CORE_CODEGEN_EXTENTS_H
#define CORE_CODEGEN_EXTENTS_H

#include "core/model/graph.h"

/*
 * The sizes of a graph's values as expressions over the problem's dimensions, for kernels and plans
 * that must work at all dimensions. Declared tensors have expressions of their own. An inner
 * value's size is found by building the graph at several dimensions: it gets the declared
 * expression that agrees everywhere.
 *
 * The expressions are valid in plans (expr.h) and, if they use neither ceildiv nor align, in C.
 */
struct extents {
    char *(*of)[SHAPE_MAX_RANK]; /* of[value][axis] */
    /* true if the size is the same at all dimensions of the problem */
    bool (*is_fixed)[SHAPE_MAX_RANK];
    size_t count; /* number of values */
};

/*
 * `graph` is the problem's graph at the main dimensions. STATUS_UNAVAILABLE if a size is not
 * constant and matches no declared expression.
 */
enum status extents_find(const struct problem *problem, const struct graph *graph,
                         struct extents *extents, struct error *err) MUST_CHECK;
void extents_release(struct extents *extents);

/* Append the product of the value's sizes along `axes`, bit i for axis i; "1" for none. */
void extents_product(const struct extents *extents, size_t value, unsigned axes,
                     struct strbuf *out);

#endif
