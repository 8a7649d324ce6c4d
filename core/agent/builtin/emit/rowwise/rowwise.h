#ifndef CORE_AGENT_BUILTIN_EMIT_ROWWISE_ROWWISE_H
#define CORE_AGENT_BUILTIN_EMIT_ROWWISE_ROWWISE_H

#include "core/agent/builtin/emit/emit.h"

/* Write the kernel of reductions and row-wise operations, with the elementwise ones fused to them.
 */
void emit_rowwise(struct emitter *e);

#endif
