#ifndef CORE_AGENT_BUILTIN_EMIT_EMIT_TILE_H
#define CORE_AGENT_BUILTIN_EMIT_EMIT_TILE_H

#include "core/agent/builtin/emit/emit.h"

/*
 * A tile of sums that a work-item keeps in registers: tile_m rows of tile_n columns, as vectors.
 * Each step of the sum adds an outer product. Products and convolutions use it.
 */

/* Declare `tile`, filled with zeros. */
void emit_tile_start(struct emitter *e);

/* Write the unrolling pragma for a loop over the sum, if the schedule asks for one. */
void emit_tile_unroll(struct emitter *e);

/*
 * Operands of one step: element `a` for row i of the tile, and vectors of the row at the pointer
 * `b`.
 */
struct tile_step {
    const char *indent, *a, *b;
    int stride;      /* elements from one vector of the tile to its next */
    bool is_aligned; /* the vectors are aligned to their size */
};

/* Write one step of the sum: load both operands and add their outer product to the tile. */
void emit_tile_step(struct emitter *e, const struct tile_step *step);

/* Padding elements at the end of a block's lines, so that lines do not begin in the same bank. */
enum { TILE_PADDING = 4 };

/*
 * A sum whose operands are copied to a ring of blocks in local memory, `a_block` and `b_block`,
 * while earlier blocks are used.
 *
 * The callback `write_copies` writes the statements that copy block `to`, whose steps begin at
 * `next`, by copy_later() (dialect.h). Other variables in scope: the work-group's tile begins at
 * `first_row` and `first_col`, a work-item's tile at `tile_row` and `col`. With several slices,
 * `slice` is that of the work-item and `own` its index in the slice.
 */
struct tile_stages {
    int rows, columns, depth; /* sizes of a block */
    int items, slices;        /* work-items of a slice; slices that share the steps of a block */
    int stride;               /* elements from one vector of columns to the next */
    const char *steps;        /* steps of the sum, as C text */
    void (*write_copies)(const void *data);
    const void *data;
};

/*
 * The number of slices that the schedule asks for, or 1 if the blocks or the work-items are too
 * few.
 */
int emit_tile_slices(const struct emitter *e, const struct tile_stages *s);

/* Write the whole loop over the sum. */
void emit_tile_staged_sum(struct emitter *e, const struct tile_stages *s);

/*
 * Describes the tile's rows and columns in the group's space; `i` is the row of the tile in the C
 * texts.
 */
struct tile_rows {
    size_t out;          /* the value that the sums compute */
    const char *columns; /* number of columns; the tile's first one is `col` */
    int stride, span;    /* columns from one vector to the next; columns of the work-group's tile */
    const char *is_outside; /* condition: this row and all after it are beyond the last row */
    const char *number;     /* the row's number in the space */
    const char *bias;       /* the name of the bias; NULL for none */
    const char *bias_index; /* its index, one for each row; NULL: one for each column */
};

/* Write the epilogue, which computes and stores what follows the sums. */
void emit_tile_results(struct emitter *e, const struct tile_rows *rows);

#endif
