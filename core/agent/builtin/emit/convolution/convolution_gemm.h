#ifndef CORE_AGENT_BUILTIN_EMIT_CONVOLUTION_CONVOLUTION_GEMM_H
#define CORE_AGENT_BUILTIN_EMIT_CONVOLUTION_CONVOLUTION_GEMM_H

#include "core/agent/builtin/emit/convolution/convolution_kernel.h"

/*
 * Implicit GEMM: a work-group computes a tile of the product of the weights with a matrix that is
 * never stored. This matrix has a row for each channel and tap, and a column for each result place
 * of all images. Blocks of both are copied to local memory, with zeros for taps that meet the
 * padding. A transposed convolution is a product for each phase (convolution_phases.h).
 */

/*
 * True if convolution_gemm() can write the kernel: the language has asynchronous copies.
 */
bool convolution_has_gemm(const struct convolution_kernel *c);

/* Write the kernel as an implicit GEMM, and the one that packs the weights for it. */
void convolution_gemm(const struct convolution_kernel *c);

#endif
