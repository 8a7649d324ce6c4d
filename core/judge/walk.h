#ifndef CORE_JUDGE_WALK_H
#define CORE_JUDGE_WALK_H

#include "core/model/op.h"

/*
 * A walk over the places of a shape in row-major order, which keeps the
 * offsets of several strided arrays at each place: broadcast, permuted and
 * sliced operands are all walked in this way.
 */
struct walk {
    struct shape shape;
    size_t arrays;
    ptrdiff_t strides[OP_MAX_INPUTS][SHAPE_MAX_RANK]; /* in elements, by axis of `shape` */
    int64_t index[SHAPE_MAX_RANK];
    ptrdiff_t offsets[OP_MAX_INPUTS]; /* where the walk is, in each array */
};

/* Distances in elements between neighbours along each axis of a dense tensor. */
void walk_dense_strides(const struct shape *shape, ptrdiff_t strides[SHAPE_MAX_RANK]);

/* Add a dense array of `shape`, broadcast to the shape of the walk. */
void walk_add_broadcast(struct walk *walk, const struct shape *shape);

/* Go to the place with this row-major number. */
void walk_seek(struct walk *walk, size_t place);

/* Go to the next place; after the last to the first. */
void walk_step(struct walk *walk);

#endif
