#ifndef CORE_AGENT_BUILTIN_EMIT_ATTENTION_ATTENTION_KERNEL_H
#define CORE_AGENT_BUILTIN_EMIT_ATTENTION_ATTENTION_KERNEL_H

#include "core/agent/builtin/emit/emit.h"
#include "core/model/op/op_attention.h"

/*
 * Sizes and names that both attention kernels use: attention.c, in which a work-item computes
 * queries alone, and attention_tiles.c, in which a work-group shares tiles.
 */

struct attention_kernel {
    struct emitter *e;
    struct op_call call;
    const struct graph_node *node;
    struct attention shape;
    size_t rank;
    int m, n, width;
    const char *queries, *keys, *depth, *columns;
    const char *heads, *shared; /* number of matrices of queries, and of keys and values */
    const char *panels;
};

/* The size of a value along an axis, as C text. */
const char *attention_size(const struct attention_kernel *a, size_t value, size_t axis);

/*
 * Declare `shared`, the matrix of keys and values that belongs to `head`, and the head's
 * coordinates.
 */
void attention_heads(const struct attention_kernel *a);

/*
 * The score with the mask's element for `key` applied. `query` and the head's coordinates are
 * declared.
 */
const char *attention_masked(const struct attention_kernel *a, const char *score, const char *key);

#endif
