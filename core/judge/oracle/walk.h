#ifndef CORE_JUDGE_ORACLE_WALK_H
#define CORE_JUDGE_ORACLE_WALK_H

#include "core/model/op/op.h"

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

/* Add a dense array of `shape`, broadcast to the shape of the walk. */
void walk_add_broadcast(struct walk *walk, const struct shape *shape);

/* Go to the place with this row-major number. */
void walk_seek(struct walk *walk, size_t place);

/* Go to the next place; after the last to the first. */
void walk_step(struct walk *walk);

/*
 * The axes of the first operand of a reduction or row-wise operation fall in
 * two: those that the lines run along, and those that the walk over the lines
 * runs along.
 */
struct walk_lines {
    struct walk starts; /* to the first element of each line, in the order of the results */
    size_t count;       /* of lines */
    size_t n;           /* elements of a line */
    ptrdiff_t *offsets; /* of the elements of a line from its first; NULL where they are adjacent */
};

/* For a call of an operation that works along axes of its first operand. */
struct walk_lines walk_lines_make(const struct op_call *call);
void walk_lines_release(struct walk_lines *lines);

/* A walk over the matrices of a product's result; offsets are in matrices, of both operands. */
struct walk walk_matrices(const struct op_call *call);

#endif
