#ifndef CORE_AGENT_BUILTIN_EMIT_CONVOLUTION_CONVOLUTION_H
#define CORE_AGENT_BUILTIN_EMIT_CONVOLUTION_CONVOLUTION_H

#include "core/agent/builtin/emit/emit.h"

/* Write the kernels of a convolution with the elementwise operations that follow it. */
void emit_convolution(struct emitter *e);

#endif
