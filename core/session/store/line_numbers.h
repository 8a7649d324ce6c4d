#ifndef CORE_SESSION_STORE_LINE_NUMBERS_H
#define CORE_SESSION_STORE_LINE_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Numbers the lines of two texts, so that equal lines have the same number. libgit2 then compares
 * the numbers: they are a tenth as long as the lines, and it hashes all that it compares with
 * SHA-1.
 */

struct line_slot {
    const char *text; /* without its newline; NULL: the slot is free */
    size_t len;
    uint32_t number;
    unsigned sides; /* 1: the line is in the old text, 2: in the new one */
};

/* A hash table of distinct lines. Their texts are borrowed. */
struct line_numbers {
    struct line_slot *slots;
    size_t mask; /* the number of slots, a power of two, less one */
    uint32_t count;
    bool has_shared; /* a line is in both texts */
};

/* Open a table with room for so many distinct lines. */
void line_numbers_open(struct line_numbers *numbers, size_t lines);
void line_numbers_release(struct line_numbers *numbers);

/* The number of a line of a side (1: old, 2: new). */
uint32_t line_numbers_of(struct line_numbers *numbers, const char *text, size_t len, unsigned side);

#endif
