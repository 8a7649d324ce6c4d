#ifndef CORE_JUDGE_READBACK_H
#define CORE_JUDGE_READBACK_H

#include "core/judge/backend.h"

/*
 * The memory that judge and executor share: the allocations of a dispatch's
 * buffers one after the other, each with its guard zones.  Both sides know
 * the layout from the sizes alone, so nothing in the memory says where
 * anything is.
 */
struct readback {
    int fd; /* of the memory file; 0 for none */
    unsigned char *bytes;
    size_t size; /* mapped */
};

/* Make the file: the judge does. */
enum status readback_create(struct readback *readback, struct error *err) MUST_CHECK;

/* Map at least `size` bytes; `grow` makes the file as large. */
enum status readback_map(struct readback *readback, size_t size, bool grow,
                         struct error *err) MUST_CHECK;
void readback_release(struct readback *readback);

/* Where the allocation of buffer `index` begins; `count` gives the size of all. */
size_t readback_offset(const struct buffer_spec *buffers, size_t index);

/* Bytes between the guard zones. */
size_t readback_contents(const struct buffer_spec *buffer);

#endif
