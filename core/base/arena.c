#include "core/base/arena.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"

/*
 * Each allocation has a block of its own, so that AddressSanitizer detects an access beyond its
 * end.
 */
struct arena_block {
    struct arena_block *next;
    max_align_t data[];
};

void *arena_alloc(struct arena *arena, size_t count, size_t size)
{
    size_t bytes;
    size_t total;

    if (__builtin_mul_overflow(count, size, &bytes) ||
        __builtin_add_overflow(bytes, sizeof(struct arena_block), &total)) {
        fputs("out of memory\n", stderr);
        abort();
    }

    struct arena_block *block = mem_alloc_zeroed(1, total);

    block->next = arena->blocks;
    arena->blocks = block;
    arena->bytes += total;
    return block->data;
}

char *arena_copy(struct arena *arena, const void *bytes, size_t len)
{
    char *copy = arena_alloc(arena, len + 1, 1);

    if (len)
        memcpy(copy, bytes, len);
    return copy;
}

void arena_release(struct arena *arena)
{
    while (arena->blocks) {
        struct arena_block *block = arena->blocks;

        arena->blocks = block->next;
        free(block);
    }
    *arena = (struct arena){0};
}
