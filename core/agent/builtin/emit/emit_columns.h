#ifndef CORE_AGENT_BUILTIN_EMIT_EMIT_COLUMNS_H
#define CORE_AGENT_BUILTIN_EMIT_EMIT_COLUMNS_H

#include "core/agent/builtin/emit/emit.h"

/* A group of FAMILY_COLUMNS (plan/fusion_epilogue.h). */
void emit_columns(struct emitter *e);

#endif
