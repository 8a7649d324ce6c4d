#ifndef CORE_AGENT_BUILTIN_EMIT_EMIT_THREADS_H
#define CORE_AGENT_BUILTIN_EMIT_EMIT_THREADS_H

#include "core/agent/builtin/emit/emit.h"

/*
 * In a language of calls: how many threads the group's work is worth, as an expression. To wake
 * another thread takes longer than work on tensors of some kilobytes. NULL: all.
 */
const char *emit_threads(struct emitter *e);

#endif
