#ifndef CORE_AGENT_BUILTIN_EMIT_CONVOLUTION_CONVOLUTION_FRAME_H
#define CORE_AGENT_BUILTIN_EMIT_CONVOLUTION_CONVOLUTION_FRAME_H

#include "core/agent/builtin/emit/convolution/convolution_kernel.h"

/*
 * The frame of a direct convolution: the operand with zeros around it, so that no tap is outside.
 * The elements that a tap meets at neighbouring positions are neighbours in memory: with stride s,
 * each line is split into s parts of every s-th element. A transposed convolution meets neighbours
 * anyway.
 */

/* Write the kernel that copies the operand to the frame. */
void convolution_frame(const struct convolution_kernel *c);

/*
 * The size of the frame along an axis before the last, the number of its lines in one channel, and
 * the elements of a line, as C text.
 */
const char *convolution_framed(const struct convolution_kernel *c, size_t axis);
const char *convolution_framed_lines(const struct convolution_kernel *c);
const char *convolution_framed_line(const struct convolution_kernel *c);

/*
 * Declare `<name><axis>`, the coordinates of line `number` along the spatial axes before the last.
 * `is_framed`: the line is one of the frame, not of the result.
 */
void convolution_lines(const struct convolution_kernel *c, const char *name, const char *number,
                       bool is_framed);

/*
 * The place of the frame along an axis before the last that tap `k<axis>` meets at the result's
 * place `o<axis>`, or at place `q<axis>` of phase `r<axis>`.
 */
const char *convolution_met_place(const struct convolution_kernel *c, size_t axis);

/* The element of a line of the frame that tap `k<last>` meets at the first column of the result. */
const char *convolution_met_column(const struct convolution_kernel *c);

#endif
