#ifndef CORE_AGENT_BUILTIN_EMIT_PRODUCT_PRODUCT_H
#define CORE_AGENT_BUILTIN_EMIT_PRODUCT_PRODUCT_H

#include "core/agent/builtin/emit/emit.h"

/* Write the kernels of a matrix product with the elementwise operations that follow it. */
void emit_product(struct emitter *e);

#endif
