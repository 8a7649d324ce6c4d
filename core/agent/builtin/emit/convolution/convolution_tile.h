#ifndef CORE_AGENT_BUILTIN_EMIT_CONVOLUTION_CONVOLUTION_TILE_H
#define CORE_AGENT_BUILTIN_EMIT_CONVOLUTION_CONVOLUTION_TILE_H

#include "core/agent/builtin/emit/convolution/convolution_kernel.h"

/* The tile that a work-group computes in an implicit GEMM (convolution_gemm.h). */
struct convolution_tile {
    int items;         /* work-items of the group */
    int across, down;  /* the same along columns and along rows */
    int m, n, width;   /* rows and columns of a work-item's tile; elements of its vectors */
    int columns, rows; /* of the group's tile */
    int depth;         /* steps of the sum in a block of local memory */
    bool is_by_tap;    /* a block has one tap of `depth` channels; else any taps and channels */
};

/*
 * Fit the schedule's tile to the convolution: few filters get few rows and more columns, few places
 * get smaller tiles, so that there are enough work-groups, and blocks have as many steps as divide
 * the channels, if they do. A tile has at most twice the rows and columns that the schedule says:
 * a convolution has more places than a product has columns.
 */
struct convolution_tile convolution_tile_fit(const struct convolution_kernel *c);

#endif
