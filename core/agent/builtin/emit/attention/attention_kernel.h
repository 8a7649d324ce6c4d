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
    const char *heads, *shared; /* number of matrices of queries; of keys and values, which several
                                   heads may share */
    const char *panels;
};

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

/*
 * Whether attention_tiles() can write the kernel: the language has shuffles, and the tiles fit in
 * local memory.
 */
bool attention_has_tiles(const struct attention_kernel *a);

/* Write the kernel with shared tiles. */
void attention_tiles(const struct attention_kernel *a);

#endif
