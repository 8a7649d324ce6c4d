#ifndef CORE_AGENT_BUILTIN_EMIT_ATTENTION_ATTENTION_H
#define CORE_AGENT_BUILTIN_EMIT_ATTENTION_ATTENTION_H

#include "core/agent/builtin/emit/emit.h"

/* Write the kernels of softmax(q k) v. */
void emit_attention(struct emitter *e);

#endif
