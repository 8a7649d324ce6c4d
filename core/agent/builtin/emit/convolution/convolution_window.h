#ifndef CORE_AGENT_BUILTIN_EMIT_CONVOLUTION_CONVOLUTION_WINDOW_H
#define CORE_AGENT_BUILTIN_EMIT_CONVOLUTION_CONVOLUTION_WINDOW_H

#include "core/agent/builtin/emit/convolution/convolution_kernel.h"

/*
 * A convolution with very few filters in a group, such as a depthwise one, which moves much memory
 * and computes little. A work-item computes one column of some neighbouring lines of the result,
 * and loads each line of the operand once for all of them. Work-items of a group have neighbouring
 * columns.
 */

/* True if the kernel suits the convolution, which is so only on GPUs. */
bool convolution_is_window(const struct convolution_kernel *c);

/* Append the body of the kernel. */
void convolution_window(const struct convolution_kernel *c);

#endif
