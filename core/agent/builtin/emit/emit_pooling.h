#ifndef CORE_AGENT_BUILTIN_EMIT_EMIT_POOLING_H
#define CORE_AGENT_BUILTIN_EMIT_EMIT_POOLING_H

#include "core/agent/builtin/emit/emit.h"

/* Write the kernel of a maximum or mean over windows. */
void emit_pooling(struct emitter *e);

#endif
