#ifndef CORE_AGENT_BUILTIN_EMIT_EMIT_POOLING_GROUP_H
#define CORE_AGENT_BUILTIN_EMIT_EMIT_POOLING_GROUP_H

#include "core/agent/builtin/emit/emit.h"
#include "core/model/op/op_window.h"

/*
 * True if the pooling has a kernel for work-groups of more than one work-item under the schedule:
 * these are whole numbers of 32 work-items, and a window's line fits in their share of local
 * memory.
 */
bool emit_pooling_group_fits(const struct op_call *call, const struct schedule *schedule);

/* Write the kernel for work-groups, and launch it. */
void emit_pooling_group(struct emitter *e);

/*
 * Open a loop over the elements k<axis> of a window along an axis, which goes on where x<axis>, the
 * element's place in the operand of `size` elements, is outside. `size` is NULL where none can be.
 * `before` is a line before the loop.
 */
void emit_pooling_open_axis(struct emitter *e, const struct window_axis *w, size_t axis,
                            const char *size, const char *before);

#endif
