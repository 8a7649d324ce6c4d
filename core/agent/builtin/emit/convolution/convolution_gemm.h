#ifndef CORE_AGENT_BUILTIN_EMIT_CONVOLUTION_CONVOLUTION_GEMM_H
#define CORE_AGENT_BUILTIN_EMIT_CONVOLUTION_CONVOLUTION_GEMM_H

#include "core/agent/builtin/emit/convolution/convolution_kernel.h"

/*
 * Implicit GEMM: a work-group computes a tile of the product of the weights with a matrix that is
 * never stored. This matrix has a row for each channel and tap, and a column for each output
 * position of all images. Its blocks are copied to local memory from the frame (convolution.c).
 */

/*
 * True if convolution_gemm() can write the kernel: the language has asynchronous copies, and the
 * schedule's sizes fit.
 */
bool convolution_has_gemm(const struct convolution_kernel *c);

/* Write the kernel as an implicit GEMM. */
void convolution_gemm(const struct convolution_kernel *c);

#endif
