#ifndef CORE_SYSTEM_BLOCK_POOL_H
#define CORE_SYSTEM_BLOCK_POOL_H

#include <stddef.h>

/*
 * A pool of large blocks of memory, for work that takes and gives back blocks of like sizes again
 * and again. An allocator gives large blocks back to the kernel at once, so that each next use has
 * every page mapped and zeroed again. The pool keeps what is given back and hands it out again. It
 * never holds more than was in use at one time. Threads may share a pool.
 *
 * Without a pool (NULL), blocks come from the allocator and go back to it. AddressSanitizer
 * reports the use of a block that was given back. In debug builds, contents that are not defined
 * are NaN.
 */
struct block_pool;

/* An empty pool, for block_pool_free(). */
struct block_pool *block_pool_new(void);

/* Free the pool and the blocks that were given back. All must have been given back. */
void block_pool_free(struct block_pool *pool);

/*
 * Free the blocks that were given back, and forget how much was in use: the next use begins as with
 * a new pool.
 */
void block_pool_trim(struct block_pool *pool);

/* A block for `count` items of `size` bytes, whose contents are not defined. */
void *block_pool_take(struct block_pool *pool, size_t count, size_t size);
void *block_pool_take_zeroed(struct block_pool *pool, size_t count, size_t size);

/* Give a block back to the pool that it was taken from. NULL is allowed. */
void block_pool_give(struct block_pool *pool, void *block);

/* Bytes that the pool keeps and that nobody uses. */
size_t block_pool_idle_bytes(struct block_pool *pool);

#endif
