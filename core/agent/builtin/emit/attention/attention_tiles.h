#ifndef CORE_AGENT_BUILTIN_EMIT_ATTENTION_ATTENTION_TILES_H
#define CORE_AGENT_BUILTIN_EMIT_ATTENTION_ATTENTION_TILES_H

#include "core/agent/builtin/emit/attention/attention_kernel.h"

/*
 * A work-group computes some queries of a head. It copies tiles of keys and values to local memory
 * and processes them in turn with an online softmax (Dao et al., "FlashAttention", 2022). A team of
 * eight neighbouring work-items shares a query: each computes the score of every eighth key, and
 * every eighth vector of the result. If whole rows do not fit in local memory, tiles have a part of
 * the columns, and further work-groups compute the rest of the result, with the same scores.
 */

/*
 * True if attention_tiles() can write the kernel: the language has shuffles, and the tiles fit in
 * local memory.
 */
bool attention_has_tiles(const struct attention_kernel *a);

/* Write the kernel with shared tiles. */
void attention_tiles(const struct attention_kernel *a);

#endif
