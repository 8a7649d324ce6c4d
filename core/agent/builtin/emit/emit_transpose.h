#ifndef CORE_AGENT_BUILTIN_EMIT_EMIT_TRANSPOSE_H
#define CORE_AGENT_BUILTIN_EMIT_EMIT_TRANSPOSE_H

#include "core/agent/builtin/emit/emit.h"

/* Write the kernel of a transpose or permute that makes another axis the last one. */
void emit_transpose(struct emitter *e);

#endif
