#ifndef CORE_AGENT_BUILTIN_EMIT_CONVOLUTION_CONVOLUTION_PARTS_H
#define CORE_AGENT_BUILTIN_EMIT_CONVOLUTION_CONVOLUTION_PARTS_H

#include "core/agent/builtin/emit/convolution/convolution_kernel.h"

/*
 * Implicit GEMM on the matrix units of NVIDIA's Hopper that is as accurate as f32. A row of the
 * product is a result place of any image, a column is a filter. Each float is the sum of three
 * parts in bf16, and six products of parts are added. Weights are split in advance. Work-items load
 * elements of the operand, split them in registers and store the parts to one of two stages in
 * shared memory, while warpgroups multiply the other stage. Where operands may be rounded, the same
 * kernel has one part, in 16 bits.
 *
 * A transposed convolution is computed by phases (convolution_phases.h). With a stride of 2 along
 * the last axis a work-group computes both phases of its places and stores whole lines: a phase
 * alone would store every second float.
 *
 * Eight neighbouring steps of the sum are eight channels of one tap if there are many channels;
 * with few of them they are any channels and taps.
 */

/* True if the schedule asks for this kernel, and the convolution takes less time by it. */
bool convolution_has_parts(const struct convolution_kernel *c);

/* Write the kernel, and the one that splits the weights. */
void convolution_parts(const struct convolution_kernel *c);

#endif
