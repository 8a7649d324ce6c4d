#ifndef CORE_AGENT_BUILTIN_EMIT_PRODUCT_PRODUCT_MATRIX_H
#define CORE_AGENT_BUILTIN_EMIT_PRODUCT_PRODUCT_MATRIX_H

#include "core/agent/builtin/emit/product/product_tile.h"

/* A product on matrix units: a work-group's tile of it. */
struct matrix {
    const struct tile *t;
    int rows, columns; /* of the tile of a work-group */
    int stages, consumers, cluster, turns;
    enum dtype dtype;        /* of the operands' elements */
    const char *operands[2]; /* scratch */
};

/* The whole product on matrix units. */
void product_matrix(const struct tile *t);

/* The kernel where warps multiply by themselves, once operands are in scratch. */
void product_matrix_warps(const struct matrix *m);

/* Take what the group's lines leave in scratch as arguments. */
void product_epilogue_args(const struct matrix *m);

/*
 * What follows the sums, which are in registers: element by element, norms of
 * features, and the passes that the tile's part of each row has in a line.
 */
void product_epilogue(const struct matrix *m);

#endif
