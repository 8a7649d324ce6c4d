#ifndef CORE_AGENT_BUILTIN_EMIT_EMIT_SCAN_H
#define CORE_AGENT_BUILTIN_EMIT_EMIT_SCAN_H

#include "core/agent/builtin/emit/emit.h"

/* Write the kernel of a running sum or product (cumsum, cumprod) along one axis. */
void emit_scan(struct emitter *e);

#endif
