#ifndef CORE_AGENT_BUILTIN_EMIT_CONVOLUTION_CONVOLUTION_PLACES_H
#define CORE_AGENT_BUILTIN_EMIT_CONVOLUTION_CONVOLUTION_PLACES_H

#include "core/agent/builtin/emit/convolution/convolution_kernel.h"

/*
 * Statements and expressions about places and taps in an implicit GEMM. A place is numbered in its
 * phase (convolution_phases.h), image after image. The texts borrow from the emitter.
 */

/* Declare `<name><axis>`, the coordinates of a place, counted in its phase. */
void convolution_write_places(const struct convolution_kernel *c, const char *name,
                              const char *place, const char *indent);

/*
 * Declare `channel_group`, and `r<axis>`, the phase along each axis, from their `number`, such as
 * "$group_id2".
 */
void convolution_write_phase(const struct convolution_kernel *c, const char *number);

/*
 * Declare `y<axis>`, the place of the operand that a tap meets, from `x<axis>` and `<taps><axis>`,
 * and `is_inside`, false outside of the operand. Returns the place's index in a channel.
 */
const char *convolution_write_met_place(const struct convolution_kernel *c, const char *taps,
                                        const char *indent);

/* The index of tap `j<axis>` of the phase among all taps of a channel. */
const char *convolution_tap_index(const struct convolution_kernel *c);

/*
 * Declare `o<axis>`, the result's coordinates of `place`, and leave places outside of the result by
 * the statement `leave`, such as "continue".
 */
void convolution_write_result_place(const struct convolution_kernel *c, const char *leave);

/* Declare `filter`, number `own` of its group, and `row` and `c`, its line and column in the
 * result. */
void convolution_write_row(const struct convolution_kernel *c, const char *own, const char *indent);

/*
 * Declare the value of the result at `filter` for the operations after the convolution: `sum`, of
 * type `type`, with the filter's bias.
 */
void convolution_write_result(const struct convolution_kernel *c, const char *type, const char *sum,
                              const char *indent);

#endif
