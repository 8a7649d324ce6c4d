#ifndef CORE_AGENT_BUILTIN_EMIT_EMIT_ELEMENTWISE_H
#define CORE_AGENT_BUILTIN_EMIT_EMIT_ELEMENTWISE_H

#include "core/agent/builtin/emit/emit.h"

/* Write the kernel of a group of elementwise operations. */
void emit_elementwise(struct emitter *e);

#endif
