#include "core/system/texts.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/arena.h"
#include "core/base/mem.h"

enum { FIRST_SLOTS = 64 }; /* a power of two, like every later size */

/* Open addressing with linear probing; never more than half full. */
struct texts {
    unsigned owners;
    struct arena arena;
    const char **slots;
    size_t slot_count, count;
};

/* FNV-1a (draft-eastlake-fnv), 64 bits. */
static uint64_t hash(const char *text)
{
    uint64_t h = 14695981039346656037u;

    for (const char *p = text; *p; p++)
        h = (h ^ (unsigned char)*p) * 1099511628211u;
    return h;
}

/* The slot that holds the text, or the free slot where it belongs. */
static const char **find(const struct texts *texts, const char *text)
{
    size_t mask = texts->slot_count - 1;
    size_t at = hash(text) & mask;

    while (texts->slots[at] && strcmp(texts->slots[at], text) != 0)
        at = (at + 1) & mask;
    return &texts->slots[at];
}

static void grow(struct texts *texts)
{
    struct texts larger = {.slot_count = texts->slot_count ? 2 * texts->slot_count : FIRST_SLOTS};

    larger.slots = mem_alloc_zeroed(larger.slot_count, sizeof(*larger.slots));
    for (size_t i = 0; i < texts->slot_count; i++)
        if (texts->slots[i])
            *find(&larger, texts->slots[i]) = texts->slots[i];
    free(texts->slots);
    texts->slots = larger.slots;
    texts->slot_count = larger.slot_count;
}

const char *texts_keep(struct texts **texts, const char *text)
{
    const char **slot;

    if (!text)
        return NULL;
    if (!*texts) {
        *texts = mem_alloc_zeroed(1, sizeof(**texts));
        (*texts)->owners = 1;
    }
    if (2 * ((*texts)->count + 1) > (*texts)->slot_count)
        grow(*texts);
    slot = find(*texts, text);
    if (!*slot) {
        *slot = arena_copy(&(*texts)->arena, text, strlen(text));
        (*texts)->count++;
    }
    return *slot;
}

struct texts *texts_share(struct texts *texts)
{
    if (texts)
        texts->owners++;
    return texts;
}

void texts_release(struct texts *texts)
{
    if (!texts || --texts->owners > 0)
        return;
    arena_release(&texts->arena);
    free(texts->slots);
    free(texts);
}
