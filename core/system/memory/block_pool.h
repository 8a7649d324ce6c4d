#ifndef CORE_SYSTEM_MEMORY_BLOCK_POOL_H
#define CORE_SYSTEM_MEMORY_BLOCK_POOL_H

#include <stddef.h>

/*
 * A pool of large blocks of memory, for work that repeatedly takes and gives back blocks of similar
 * sizes. An allocator returns large blocks to the kernel at once, so that the kernel maps and
 * zeroes every page again at the next use. The pool keeps blocks that were given back and hands
 * them out again. It never holds more bytes than the largest sum that was in use at one time.
 * Threads may share a pool.
 *
 * Without a pool (NULL), blocks come from the allocator and go back to it. AddressSanitizer reports
 * the use of a block that was given back. In debug builds, undefined contents are NaN.
 */
struct block_pool;

/* An empty pool, for block_pool_free(). */
struct block_pool *block_pool_new(void);

/* Free the pool and the blocks that were given back. All must have been given back. */
void block_pool_free(struct block_pool *pool);

/*
 * Free the blocks that were given back, and reset the record of the largest use, as in a new pool.
 */
void block_pool_trim(struct block_pool *pool);

/*
 * Take a block for `count` items of `size` bytes; the first function leaves the contents undefined.
 */
void *block_pool_take(struct block_pool *pool, size_t count, size_t size);
void *block_pool_take_zeroed(struct block_pool *pool, size_t count, size_t size);

/* Give a block back to the pool that it was taken from. NULL is allowed. */
void block_pool_give(struct block_pool *pool, void *block);

/* The bytes of the blocks that the pool keeps and that are not in use. */
size_t block_pool_idle_bytes(struct block_pool *pool);

#endif
