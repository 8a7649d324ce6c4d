#ifndef CORE_AGENT_BUILTIN_EMIT_PRODUCT_PRODUCT_LOCAL_H
#define CORE_AGENT_BUILTIN_EMIT_PRODUCT_PRODUCT_LOCAL_H

#include "core/agent/builtin/emit/product/product_tile.h"

/*
 * A product with operands in local memory. A work-group copies blocks of both operands, `local`
 * steps of the sum, to local memory. There are two blocks of each operand: one is filled while the
 * other is used. The copies go through registers, so that the loads run during the arithmetic. In a
 * block the elements of one step are neighbours, so that neighbouring work-items read neighbouring
 * elements.
 *
 * If the language has asynchronous copies to local memory, the copies need no registers, and there
 * is a ring of `stages` blocks.
 */

/* The number of slices of a work-group; uses all other members of the tile. */
int product_slices(const struct tile *t);

/* Write the sum with operands that the work-group copies to local memory, block by block. */
void product_local_sum(const struct tile *t);

#endif
