#include "core/system/memory/block_pool.h"

#include <pthread.h>
#include <sanitizer/asan_interface.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "core/base/mem.h"

enum {
    IDLE_MAX = 32,
    HEADER_BYTES = 64, /* before each block */
    /* smaller blocks are left to the allocator, which reuses them itself */
    POOLED_LEAST_BYTES = 1 << 16,
};

struct header {
    size_t capacity; /* bytes of the block after the header; 0 if it is not kept */
};

struct block_pool {
    pthread_mutex_t lock;
    struct header *idle[IDLE_MAX]; /* in the order in which they were given back */
    size_t idle_count;
    size_t idle_bytes, used_bytes; /* bytes of idle blocks; of blocks in use that will be kept */
    size_t most_bytes;             /* the largest sum of bytes that were in use at one time */
};

static void *block_of(struct header *header)
{
    return (char *)header + HEADER_BYTES;
}

static struct header *header_of(void *block)
{
    return (struct header *)(void *)((char *)block - HEADER_BYTES);
}

/* Under AddressSanitizer, allow access to only the first `bytes` of a block. */
static void allow(struct header *header, size_t bytes)
{
    ASAN_POISON_MEMORY_REGION(block_of(header), header->capacity);
    ASAN_UNPOISON_MEMORY_REGION(block_of(header), bytes);
}

/* In debug builds, fill undefined contents with NaN, so that a use of them is noticed. */
static void spoil(void *block, size_t bytes)
{
#ifndef NDEBUG
    memset(block, 0xff, bytes);
#else
    (void)block;
    (void)bytes;
#endif
}

struct block_pool *block_pool_new(void)
{
    struct block_pool *pool = mem_alloc_zeroed(1, sizeof(*pool));

    pthread_mutex_init(&pool->lock, NULL);
    return pool;
}

static struct header *take_out(struct block_pool *pool, size_t index)
{
    struct header *taken = pool->idle[index];

    pool->idle_count--;
    pool->idle_bytes -= taken->capacity;
    for (size_t i = index; i < pool->idle_count; i++)
        pool->idle[i] = pool->idle[i + 1];
    return taken;
}

static void drop_oldest(struct block_pool *pool)
{
    struct header *oldest = take_out(pool, 0);

    allow(oldest, oldest->capacity);
    free(oldest);
}

void block_pool_trim(struct block_pool *pool)
{
    if (!pool)
        return;
    pthread_mutex_lock(&pool->lock);
    while (pool->idle_count > 0)
        drop_oldest(pool);
    pool->most_bytes = pool->used_bytes;
    pthread_mutex_unlock(&pool->lock);
}

void block_pool_free(struct block_pool *pool)
{
    if (!pool)
        return;
    block_pool_trim(pool);
    pthread_mutex_destroy(&pool->lock);
    free(pool);
}

/* The smallest idle block that has `bytes`, and at most twice as many; NULL if there is none. */
static struct header *find_idle(struct block_pool *pool, size_t bytes)
{
    size_t best = pool->idle_count;

    for (size_t i = 0; i < pool->idle_count; i++) {
        size_t capacity = pool->idle[i]->capacity;

        if (capacity >= bytes && capacity / 2 <= bytes &&
            (best == pool->idle_count || capacity < pool->idle[best]->capacity))
            best = i;
    }
    return best < pool->idle_count ? take_out(pool, best) : NULL;
}

/* Free idle blocks until `bytes` more bytes in use do not raise the total above the peak in use. */
static void make_room(struct block_pool *pool, size_t bytes)
{
    size_t used = pool->used_bytes + bytes;

    if (used > pool->most_bytes)
        pool->most_bytes = used;
    while (pool->idle_count > 0 && pool->idle_bytes + used > pool->most_bytes)
        drop_oldest(pool);
}

/* Return an idle block, or NULL after making room for a new one. Counts the block as used. */
static struct header *reuse(struct block_pool *pool, size_t bytes)
{
    struct header *found;

    pthread_mutex_lock(&pool->lock);
    found = find_idle(pool, bytes);
    if (!found)
        make_room(pool, bytes);
    pool->used_bytes += found ? found->capacity : bytes;
    pthread_mutex_unlock(&pool->lock);
    return found;
}

static void *take(struct block_pool *pool, size_t bytes, bool is_zeroed)
{
    bool is_kept = bytes >= POOLED_LEAST_BYTES;
    struct header *header = is_kept ? reuse(pool, bytes) : NULL;

    if (header) {
        allow(header, bytes);
        if (is_zeroed)
            memset(block_of(header), 0, bytes);
    } else {
        header = is_zeroed ? mem_alloc_zeroed(1, HEADER_BYTES + bytes)
                           : mem_resize(NULL, 1, HEADER_BYTES + bytes);
        header->capacity = is_kept ? bytes : 0;
    }
    if (!is_zeroed)
        spoil(block_of(header), bytes);
    return block_of(header);
}

/*
 * The product, or SIZE_MAX / 2 if it overflows: no allocator has as much, so the allocation aborts.
 */
static size_t bytes_of(size_t count, size_t size)
{
    size_t bytes;

    return __builtin_mul_overflow(count, size, &bytes) ? SIZE_MAX / 2 : bytes;
}

void *block_pool_take(struct block_pool *pool, size_t count, size_t size)
{
    return pool ? take(pool, bytes_of(count, size), false) : mem_alloc_zeroed(count, size);
}

void *block_pool_take_zeroed(struct block_pool *pool, size_t count, size_t size)
{
    return pool ? take(pool, bytes_of(count, size), true) : mem_alloc_zeroed(count, size);
}

void block_pool_give(struct block_pool *pool, void *block)
{
    struct header *header;

    if (!pool || !block) {
        free(block);
        return;
    }
    header = header_of(block);
    if (header->capacity == 0) {
        free(header);
        return;
    }
    allow(header, 0);
    pthread_mutex_lock(&pool->lock);
    if (pool->idle_count == IDLE_MAX)
        drop_oldest(pool);
    pool->used_bytes -= header->capacity;
    pool->idle_bytes += header->capacity;
    pool->idle[pool->idle_count++] = header;
    pthread_mutex_unlock(&pool->lock);
}

size_t block_pool_idle_bytes(struct block_pool *pool)
{
    size_t bytes;

    pthread_mutex_lock(&pool->lock);
    bytes = pool->idle_bytes;
    pthread_mutex_unlock(&pool->lock);
    return bytes;
}
