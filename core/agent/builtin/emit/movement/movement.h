#ifndef CORE_AGENT_BUILTIN_EMIT_MOVEMENT_MOVEMENT_H
#define CORE_AGENT_BUILTIN_EMIT_MOVEMENT_MOVEMENT_H

#include "core/agent/builtin/emit/emit.h"

/*
 * Write the kernels of movements (gather, slice, concat and the like), with the elementwise
 * operations and reductions fused to them.  Groups that share the kernel of another group write
 * nothing.
 */
void emit_movement(struct emitter *e);

#endif
