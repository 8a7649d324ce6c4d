#ifndef CORE_AGENT_BUILTIN_EMIT_CONVOLUTION_CONVOLUTION_PHASES_H
#define CORE_AGENT_BUILTIN_EMIT_CONVOLUTION_CONVOLUTION_PHASES_H

#include "core/agent/builtin/emit/convolution/convolution_kernel.h"

/*
 * The taps that meet the operand. In a transposed convolution of stride s, result places whose
 * distance is a multiple of s meet the same taps of the window: there are s phases along each axis.
 * A convolution has one phase.
 *
 * Place q of phase r meets operand place q * scale + shift + j * reach by tap first + j * step, for
 * j from 0 to taps - 1. It is result place q * phases + r.
 */
struct phase_axis {
    int64_t phases, scale, reach, step;
};

/* Divide an axis of the result (0 to 2) into its phases. */
struct phase_axis convolution_phase_axis(const struct convolution_kernel *c, size_t axis);

/* The number of phases along all axes. */
int64_t convolution_phases(const struct convolution_kernel *c);

/* The numbers that differ between the phases of an axis. */
enum phase_number { PHASE_FIRST, PHASE_SHIFT, PHASE_TAPS };

/* The number as C text: an expression of `r<axis>`, the phase. */
const char *convolution_phase_number(const struct convolution_kernel *c, size_t axis,
                                     enum phase_number number);

struct phase_reach {
    int64_t low, high;
};

/* The first and the last place of the operand that the taps of place 0 of all phases meet. */
struct phase_reach convolution_phase_reach(const struct convolution_kernel *c, size_t axis);

/* The number of places along the axis in the largest phase, as C text. */
const char *convolution_phase_places(const struct convolution_kernel *c, size_t axis);

#endif
