#ifndef CORE_CODEGEN_EXTENTS_H
#define CORE_CODEGEN_EXTENTS_H

#include "core/model/graph.h"

/*
 * The sizes of a graph's values as expressions over the problem's dimensions,
 * for kernels and plans that hold at dimensions nobody has seen.  Declared
 * tensors bring theirs; the sizes of inner values are recognized among the
 * declared ones by comparing them at several dimensions.
 *
 * The expressions read the same in plans (expr.h) and, where they use no
 * ceildiv or align, in C.
 */
struct extents {
    char *(*of)[SHAPE_MAX_RANK];      /* of[value][axis] */
    bool (*is_fixed)[SHAPE_MAX_RANK]; /* the same at all dimensions */
    size_t count;                     /* of values */
};

/* `graph` is the problem's at its main dimensions. */
enum status extents_find(const struct problem *problem, const struct graph *graph,
                         struct extents *extents, struct error *err) MUST_CHECK;
void extents_release(struct extents *extents);

/* Append the product of the value's sizes along the axes in `axes`, bit i for axis i; "1" for none.
 */
void extents_product(const struct extents *extents, size_t value, unsigned axes,
                     struct strbuf *out);

#endif
