#include "core/session/store/line_numbers.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"

void line_numbers_open(struct line_numbers *numbers, size_t lines)
{
    size_t slots = 16;

    while (slots < 2 * lines)
        slots *= 2;
    *numbers = (struct line_numbers){.slots = mem_alloc_zeroed(slots, sizeof(*numbers->slots)),
                                     .mask = slots - 1};
}

void line_numbers_release(struct line_numbers *numbers)
{
    free(numbers->slots);
    *numbers = (struct line_numbers){0};
}

/* Multiplies and shifts eight bytes at a time, as wyhash does. */
static uint64_t hash_of(const char *text, size_t len)
{
    static const uint64_t odd = 0x9e3779b97f4a7c15U;
    uint64_t hash = len * odd, part;

    for (; len >= sizeof(part); text += sizeof(part), len -= sizeof(part)) {
        memcpy(&part, text, sizeof(part));
        hash = (hash ^ part) * odd;
        hash ^= hash >> 32;
    }
    part = 0;
    memcpy(&part, text, len);
    hash = (hash ^ part) * odd;
    return hash ^ hash >> 32;
}

static bool is_line(const struct line_slot *slot, const char *text, size_t len)
{
    return slot->len == len && memcmp(slot->text, text, len) == 0;
}

uint32_t line_numbers_of(struct line_numbers *numbers, const char *text, size_t len, unsigned side)
{
    size_t at = hash_of(text, len) & numbers->mask;
    struct line_slot *slot;

    while (numbers->slots[at].text && !is_line(&numbers->slots[at], text, len))
        at = (at + 1) & numbers->mask;
    slot = &numbers->slots[at];
    if (!slot->text)
        *slot = (struct line_slot){.text = text, .len = len, .number = numbers->count++};
    slot->sides |= side;
    numbers->has_shared |= slot->sides == 3;
    return slot->number;
}
