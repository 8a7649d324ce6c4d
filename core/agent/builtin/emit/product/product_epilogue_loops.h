#ifndef CORE_AGENT_BUILTIN_EMIT_PRODUCT_PRODUCT_EPILOGUE_LOOPS_H
#define CORE_AGENT_BUILTIN_EMIT_PRODUCT_PRODUCT_EPILOGUE_LOOPS_H

#include "core/agent/builtin/emit/emit_access.h"
#include "core/agent/builtin/emit/product/product_matrix_tile.h"

/*
 * The epilogue's state, and pieces of its loops over the columns of a tile. A work-item has pairs
 * of columns in two rows of every 16: sums[4 * j] to sums[4 * j + 3] are those of run `j`.
 */

/* The four work-items of a quad hold pairs of columns of a row, so together they hold runs of 8. */
enum { QUAD_COLUMNS = 8 };

/* Runs that the quad stores at once, if it stores 16 bits: each work-item one of them. */
enum { RUNS = 4 };

struct epilogue {
    const struct matrix *m;
    struct emitter *e;
    size_t in_sums;       /* the value that the registers of the sums hold */
    size_t norm, rowwise; /* nodes: a normalization; a row-wise one that gets partials */
    bool divides;         /* no tile reaches beyond the last column */
    bool is_odd;          /* the last pair has one column, and rows begin at any place */
};

/*
 * The declaration of `c`, the first column of the pair at `at` (C text), or of the last one, and
 * with an odd number of columns of `second`, the distance of the other column: 1, or 0 beyond the
 * last.
 */
const char *epilogue_column(const struct epilogue *r, const char *at);

/* The position of a pair in the loops, whose body has this indent. */
struct position epilogue_position(const struct epilogue *r, const char *indent);

/* True if the bias is still to be added to the value that the registers hold. */
bool epilogue_has_bias(const struct epilogue *r);

/*
 * Declare the value that the registers hold, as a pair; `place` is the index of its first register
 * as C text. epilogue_forget() ends its scope.
 */
void epilogue_declare(const struct epilogue *r, const char *place, const char *indent);
void epilogue_forget(const struct epilogue *r);

/* The place of a pair in registers: the index of the first, as C text, and the indent. */
struct kept {
    const char *place, *indent;
};

/*
 * Replace the sums in registers with the value, whose pair has this name, if nothing needs them any
 * more; after the loops, record that the registers hold the value.
 */
void epilogue_keep(const struct epilogue *r, size_t value, const char *name,
                   const struct kept *kept);
void epilogue_mark(struct epilogue *r, size_t value);

/* Declare `line`, that of row `i` of the work-item's two. */
void epilogue_row(const struct epilogue *r, const char *indent);

#endif
