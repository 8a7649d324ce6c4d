#ifndef CORE_BASE_ARENA_H
#define CORE_BASE_ARENA_H

#include <stddef.h>

/*
 * An arena hands out memory that is freed all at once, with the arena. It suits trees, whose nodes
 * have no owners of their own.
 *
 * All zeros is an empty arena.
 */
struct arena {
    struct arena_block *blocks;
    size_t bytes; /* handed out so far */
};

/* Zeroed memory for `count` objects of `size` bytes, aligned for any type. */
void *arena_alloc(struct arena *arena, size_t count, size_t size);

/* A copy of the bytes, followed by a terminator. */
char *arena_copy(struct arena *arena, const void *bytes, size_t len);

/* Free everything, and leave the arena empty and ready for use. */
void arena_release(struct arena *arena);

#endif
