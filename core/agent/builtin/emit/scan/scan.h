#ifndef CORE_AGENT_BUILTIN_EMIT_SCAN_SCAN_H
#define CORE_AGENT_BUILTIN_EMIT_SCAN_SCAN_H

#include "core/agent/builtin/emit/emit.h"

/* Write the kernel of a running sum or product, and launch it. */
void emit_scan(struct emitter *e);

#endif
