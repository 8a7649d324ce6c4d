#ifndef CORE_AGENT_BUILTIN_EMIT_EMIT_TILE_H
#define CORE_AGENT_BUILTIN_EMIT_EMIT_TILE_H

#include "core/agent/builtin/emit/emit.h"

/*
 * A tile of sums that a work-item keeps in registers, tile_m rows of tile_n
 * columns as vectors: an outer product is added for each step of the sum.
 * Products and convolutions are written with it.
 */

/* Declare `tile` with zeros. */
void emit_tile_start(struct emitter *e);

/* The pragma for a loop over the sum, where one is asked for. */
void emit_tile_unroll(struct emitter *e);

/* Add the product of a column, `a` for row i, and a row of vectors at the pointer `b`. */
struct tile_step {
    const char *indent, *a, *b;
    int stride;      /* elements from a vector to the next */
    bool is_aligned; /* the vectors are at multiples of their size */
};

/* Write the statements of one step along the inner axis: load both operands, and add their
 * products. */
void emit_tile_step(struct emitter *e, const struct tile_step *step);

/* Elements between the ends of a block's lines, so that they do not begin in the same bank. */
enum { TILE_PADDING = 4 };

/*
 * The whole sum with operands in blocks `a_block` and `b_block` of local
 * memory, which are copied while others are used: `write_copies` writes what
 * copies the blocks `to`, whose steps begin at `next`, by copy_later().  The
 * work-group's tile begins at `first_row` and `first_col`, a work-item's at
 * `tile_row` and `col`; where there are several slices, it knows which `slice`
 * it belongs to, and that it is work-item `own` of that.
 */
struct tile_stages {
    int rows, columns, depth; /* of a block */
    int items, slices;        /* work-items of a slice; sets of them that take turns at its steps */
    int stride;               /* elements from a vector of columns to the next */
    const char *steps;        /* of the sum */
    void (*write_copies)(const void *data);
    const void *data;
};

/* How many slices the schedule asks for, and local memory allows. */
int emit_tile_slices(const struct emitter *e, const struct tile_stages *s);

/* Write the loop that sums the tile's products while operands of later stages are copied. */
void emit_tile_staged_sum(struct emitter *e, const struct tile_stages *s);

/* Where the tile's rows are in the group's space; C text in which `i` is the row of the tile. */
struct tile_rows {
    size_t out;             /* the value that the sums are */
    const char *columns;    /* how many there are; the tile's first one is `col` */
    int stride, span;       /* of them from a vector to the next; of which tiles are made */
    const char *is_outside; /* whether a row, and all after it, is beyond the last */
    const char *number;     /* of a row */
    const char *bias;       /* text of what is added, at a spot of columns: a name, or NULL */
    const char *bias_index; /* of a row's one; NULL where each column has its own */
};

/* Compute what follows the sums, and store it; to the end of the kernel. */
void emit_tile_results(struct emitter *e, const struct tile_rows *rows);

#endif
