#ifndef CORE_BASE_ARENA_H
#define CORE_BASE_ARENA_H

#include <stddef.h>

/*
 * Memory with one lifetime: what is allocated from an arena is freed all at
 * once, with the arena.  For trees whose nodes nobody owns one by one.
 *
 * All zeros is an empty arena.
 */
struct arena {
    struct arena_block *blocks;
    size_t bytes; /* handed out so far */
};

/* Zeroed memory for `count` things of `size` bytes, aligned for anything. */
void *arena_alloc(struct arena *arena, size_t count, size_t size);

/* A copy of the bytes with a terminator behind it. */
char *arena_copy(struct arena *arena, const void *bytes, size_t len);

/* Free everything, and leave the arena empty and ready for use. */
void arena_release(struct arena *arena);

#endif
