#include "core/base/mem.h"

#include <stdio.h>
#include <string.h>

static void *or_die(void *block)
{
    if (!block) {
        fputs("out of memory\n", stderr);
        abort();
    }
    return block;
}

void *mem_alloc_zeroed(size_t count, size_t size)
{
    return or_die(calloc(count, size));
}

void *mem_resize(void *block, size_t count, size_t size)
{
    return or_die(reallocarray(block, count, size));
}

char *mem_strdup(const char *text)
{
    return text ? or_die(strdup(text)) : NULL;
}

char *mem_strndup(const char *text, size_t len)
{
    return or_die(strndup(text, len));
}

void *mem_grow(void *items, size_t *capacity, size_t needed, size_t size)
{
    if (needed <= *capacity)
        return items;

    size_t roomier = *capacity + *capacity / 2 + 8;

    *capacity = roomier > needed ? roomier : needed;
    return mem_resize(items, *capacity, size);
}
