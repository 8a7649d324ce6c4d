#ifndef CORE_AGENT_BUILTIN_EMIT_PRODUCT_PRODUCT_WARP_H
#define CORE_AGENT_BUILTIN_EMIT_PRODUCT_PRODUCT_WARP_H

#include "core/agent/builtin/emit/product/product_matrix_tile.h"

/*
 * A product on the matrix units that NVIDIA's GPUs have since sm_80. The work-items of a warp use
 * them together ("PTX ISA", sections on mma.sync and ldmatrix): a warp computes 16 rows of the
 * work-group's tile, with all columns. All work-items copy tiles of both operands, already
 * converted to 16 bits, to a ring of stages in shared memory, and multiply between one barrier and
 * the next.
 */

/* Write the kernel in which single warps multiply; the operands are converted already. */
void product_matrix_warps(const struct matrix *m);

#endif
