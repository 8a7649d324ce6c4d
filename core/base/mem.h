#ifndef CORE_BASE_MEM_H
#define CORE_BASE_MEM_H

#include <stddef.h>
#include <stdlib.h>

/*
 * Allocation that does not fail: these functions abort the program instead of returning NULL. The
 * caller frees the memory with free().
 */
void *mem_alloc_zeroed(size_t count, size_t size);
void *mem_resize(void *block, size_t count, size_t size);
char *mem_strdup(const char *text); /* NULL for NULL */
char *mem_strndup(const char *text, size_t len);

/*
 * Resize `items` so that it holds at least `needed` items, growing `*capacity` by half. Returns the
 * array, which may have moved.
 */
void *mem_grow(void *items, size_t *capacity, size_t needed, size_t size);

#endif
