#ifndef CORE_AGENT_BUILTIN_EMIT_PRODUCT_PRODUCT_MATRIX_TILE_H
#define CORE_AGENT_BUILTIN_EMIT_PRODUCT_PRODUCT_MATRIX_TILE_H

#include "core/agent/builtin/emit/product/product_tile.h"

/*
 * State of a product on matrix units, shared by the kernel with warpgroups and TMA
 * (product_matrix.c), the kernel with single warps (product_warp.c) and their epilogue
 * (product_epilogue.c).
 */
struct matrix {
    const struct tile *t;
    int rows, columns; /* rows and columns of the tile of a work-group */
    int stages, consumers, cluster, turns;
    int persist;             /* work-groups that stay for several tiles; 0: one a tile */
    bool rounds;             /* the kernel rounds its first operand itself (product_background.h) */
    int sections;            /* of the sum, which different work-groups compute */
    int parts;               /* buffers' planes: 3 if operands are split into parts, else 1 */
    int depth;               /* steps of the sum, rounded up to 16 bytes */
    int pitch[2];            /* elements of a converted line; those behind the steps are zeros */
    enum dtype dtype;        /* type of the converted operands */
    const char *operands[2]; /* scratch buffers of the converted operands */
    const char *lines[2];    /* rows or columns of all matrices of the operand, as C text */
};

#endif
