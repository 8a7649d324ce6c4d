#ifndef CORE_AGENT_BUILTIN_EMIT_MOVEMENT_MOVEMENT_SPREAD_H
#define CORE_AGENT_BUILTIN_EMIT_MOVEMENT_MOVEMENT_SPREAD_H

#include "core/agent/builtin/emit/emit.h"

/*
 * True if the work-items of a group had better interleave the elements of their vectors: each loads
 * several columns of a long reduction at a time, and rows begin between vectors.
 */
bool movement_spreads(const struct emitter *e, size_t value);

/*
 * The width of vectors whose elements lie `step` apart, of which few lie behind a short line. A
 * step of 0 takes the width of the schedule.
 */
int movement_spread_width(const struct emitter *e, size_t value, int step);

/*
 * True if sets of work-items had better share the sums of the value, which is a reduction: those of
 * a long axis whose lines are not aligned, so that a group loads neighbouring lines, or one with
 * too few results for a GPU.
 */
bool movement_shares(const struct emitter *e, size_t value);

#endif
