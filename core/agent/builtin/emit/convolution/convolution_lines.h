#ifndef CORE_AGENT_BUILTIN_EMIT_CONVOLUTION_CONVOLUTION_LINES_H
#define CORE_AGENT_BUILTIN_EMIT_CONVOLUTION_CONVOLUTION_LINES_H

#include "core/agent/builtin/emit/convolution/convolution_kernel.h"

/*
 * A transposed convolution with a long stride, whose result takes longer to store than to compute.
 * A kernel that computes each phase (convolution_phases.h) alone stores every `stride`-th element
 * of a line, and so moves each line several times. Here a work-group computes all phases of a part
 * of a line for some filters, exchanges them in local memory, and stores whole lines. Taps along
 * the line are known when the kernel is written, so that phases without taps cost nothing.
 */

/* True if the kernel suits the convolution, which is so only on GPUs. */
bool convolution_is_lines(const struct convolution_kernel *c);

/* Write the kernel, and the one that packs the weights. */
void convolution_lines_kernel(const struct convolution_kernel *c);

#endif
