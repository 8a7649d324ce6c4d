#ifndef CORE_AGENT_BUILTIN_EMIT_CONVOLUTION_CONVOLUTION_MATRIX_H
#define CORE_AGENT_BUILTIN_EMIT_CONVOLUTION_CONVOLUTION_MATRIX_H

#include "core/agent/builtin/emit/convolution/convolution_kernel.h"

/*
 * Implicit GEMM on the matrix units of NVIDIA's Hopper. The operand is rounded to 16 bits and
 * stored with the channels of a place as neighbours; so are the weights. A row of the product is a
 * result place of any image, a column is a filter, and the steps of the sum are the channels of one
 * tap after the other. Work-items copy 8 channels at a time to a ring of stages in shared memory,
 * with zeros for taps that meet the padding, while warpgroups multiply earlier stages.
 */

/*
 * True if convolution_matrix() can write the kernel, and the schedule asks for it: operands may be
 * rounded, and the numbers of channels and filters are fixed.
 */
bool convolution_has_matrix(const struct convolution_kernel *c);

/* Write the kernel, and those that convert operand and weights. */
void convolution_matrix(const struct convolution_kernel *c);

#endif
