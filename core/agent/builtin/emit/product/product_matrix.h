#ifndef CORE_AGENT_BUILTIN_EMIT_PRODUCT_PRODUCT_MATRIX_H
#define CORE_AGENT_BUILTIN_EMIT_PRODUCT_PRODUCT_MATRIX_H

#include "core/agent/builtin/emit/product/product_tile.h"

/*
 * A product on the matrix units of NVIDIA's Hopper. Operands are rounded to f16 or bf16, or each is
 * split into three parts in bf16, whose products give that of f32 (Henry, Tang and Heinecke,
 * "Leveraging the bfloat16 Artificial Intelligence Datatype For Higher-Precision Computations",
 * ARITH 2019). The sums are f32.
 *
 * Conversion kernels first store the operands in 16 bits with the steps of the sum as neighbours;
 * params are converted once, before the first launch. Then a work-group computes a tile of the
 * result. Its last 128 work-items copy tiles of both operands to a ring of stages in shared memory
 * with the bulk copy engine (TMA); each other 128, a warpgroup, multiply 64 rows ("PTX ISA",
 * section on wgmma.mma_async).
 *
 * Two work-groups of a cluster have the same columns: each copies half of the columns' tile to
 * both. A work-group may compute several tiles one after the other; the next one is copied while
 * sums are stored.
 */

/* The whole product on matrix units. */
void product_matrix(const struct tile *t);

#endif
