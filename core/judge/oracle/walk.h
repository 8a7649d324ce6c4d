#ifndef CORE_JUDGE_ORACLE_WALK_H
#define CORE_JUDGE_ORACLE_WALK_H

#include "core/model/op/op.h"

/*
 * A walk over the places of a shape in row-major order, which keeps the offset of each place in
 * several strided arrays. Broadcast, permuted and sliced operands are all walked in this way.
 */
struct walk {
    struct shape shape;
    size_t arrays;
    ptrdiff_t strides[OP_MAX_INPUTS][SHAPE_MAX_RANK]; /* in elements, by axis of `shape` */
    int64_t index[SHAPE_MAX_RANK];
    ptrdiff_t offsets[OP_MAX_INPUTS]; /* offset of the current place in each array */
};

/* Add a dense array of `shape`, broadcast to the shape of the walk. */
void walk_add_broadcast(struct walk *walk, const struct shape *shape);

/*
 * Set the steps of an elementwise call: 1 for an operand of the result's shape, 0 for a single
 * element. Return false if an operand is broadcast along some axes only.
 */
bool walk_find_steps(const struct op_call *call, size_t *steps);

/* Go to the place with this row-major number. */
void walk_seek(struct walk *walk, size_t place);

/* Go to the next place, or from the last to the first. */
void walk_step(struct walk *walk);

/* Go on by `count` places along the last axis, at most to the first place behind its end. */
void walk_skip(struct walk *walk, int64_t count);

/*
 * For operations that work along axes of their first operand (reductions and row-wise operations):
 * the axes are split into those along a line, and those that number the lines.
 */
struct walk_lines {
    struct walk starts; /* walks to the first element of each line, in the order of the results */
    size_t count;       /* number of lines */
    size_t n;           /* number of elements of a line */
    /* offsets of a line's elements from its first one; NULL if they are adjacent */
    ptrdiff_t *offsets;
};

/* The lines of such a call. */
struct walk_lines walk_lines_make(const struct op_call *call);
void walk_lines_release(struct walk_lines *lines);

/*
 * A walk over the matrices of the result of a matrix product. Offsets are in matrices, for both
 * operands.
 */
struct walk walk_matrices(const struct op_call *call);

#endif
