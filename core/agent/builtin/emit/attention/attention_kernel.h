#ifndef CORE_AGENT_BUILTIN_EMIT_ATTENTION_ATTENTION_KERNEL_H
#define CORE_AGENT_BUILTIN_EMIT_ATTENTION_ATTENTION_KERNEL_H

#include "core/agent/builtin/emit/emit.h"
#include "core/model/op/op_attention.h"

/* What the ways to attend share. */

struct attention_kernel {
    struct emitter *e;
    struct op_call call;
    const struct graph_node *node;
    struct attention shape;
    size_t rank;
    int m, n, width;
    const char *queries, *keys, *depth, *columns;
    const char *heads, *shared; /* matrices of queries, and of keys and values */
    const char *panels;
};

/* Declare which matrix of keys and values belongs to `head`, and the head's axes. */
void attention_heads(const struct attention_kernel *a);

/* The element of the mask for a key: `query` and the head's axes are declared. */
const char *attention_masked(const struct attention_kernel *a, const char *score, const char *key);

/* Whether work-items share tiles of keys and values: where they can exchange registers. */
bool attention_has_tiles(const struct attention_kernel *a);

/* The whole kernel, then. */
void attention_tiles(const struct attention_kernel *a);

#endif
