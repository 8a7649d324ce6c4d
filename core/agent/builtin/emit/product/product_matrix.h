#ifndef CORE_AGENT_BUILTIN_EMIT_PRODUCT_PRODUCT_MATRIX_H
#define CORE_AGENT_BUILTIN_EMIT_PRODUCT_PRODUCT_MATRIX_H

#include "core/agent/builtin/emit/product/product_tile.h"

/*
 * State of a product on matrix units, shared by the kernel with warpgroups and TMA
 * (product_matrix.c), the kernel with single warps (product_warp.c) and their epilogue
 * (product_epilogue.c).
 */
struct matrix {
    const struct tile *t;
    int rows, columns; /* of a work-group's tile */
    int stages, consumers, cluster, turns;
    enum dtype dtype;        /* of the converted operands */
    const char *operands[2]; /* scratch buffers of the converted operands */
};

/* The whole product on matrix units. */
void product_matrix(const struct tile *t);

/* Write the kernel in which single warps multiply; the operands are converted already. */
void product_matrix_warps(const struct matrix *m);

/*
 * Declare scratch for the partial results that the epilogue computes, and add it to the kernel's
 * arguments.
 */
void product_epilogue_args(const struct matrix *m);

/*
 * Write the epilogue for the sums in registers: elementwise operations, a normalization of
 * features, and partial results of a following row-wise operation.
 */
void product_epilogue(const struct matrix *m);

#endif
