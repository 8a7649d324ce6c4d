#ifndef CORE_JUDGE_EXECUTOR_READBACK_H
#define CORE_JUDGE_EXECUTOR_READBACK_H

#include "core/judge/device/backend.h"

/*
 * The memory that judge and executor share: the allocations of a dispatch's
 * buffers one after the other, each with its guard zones, and all of it
 * twice, so that one run can be held against another.  Both processes know
 * the layout from the sizes alone, so nothing in the memory says where
 * anything is.  Only outputs are copied with what is between their guards:
 * there is room for the rest, which takes no memory as long as nobody writes.
 */
enum { READBACK_SIDES = 2 };

struct readback {
    int fd; /* of the memory file; 0 for none */
    unsigned char *bytes;
    size_t size; /* mapped */
};

/* Make the file: the judge does. */
enum status readback_create(struct readback *readback, struct error *err) MUST_CHECK;

/* The buffers of a dispatch, of which only the sizes matter. */
struct readback_layout {
    const struct buffer_spec *buffers;
    size_t count;
};

/* Map enough for both sides; `grow` makes the file as large. */
enum status readback_map(struct readback *readback, struct readback_layout layout, bool grow,
                         struct error *err) MUST_CHECK;

/* Give back the memory of all copies: who maps it reads zeros. Whether that was possible. */
bool readback_clear(const struct readback *readback) MUST_CHECK;
void readback_release(struct readback *readback);

/* The copy of an allocation. */
unsigned char *readback_at(const struct readback *readback, struct readback_layout layout,
                           unsigned side, size_t index);

/* What all allocations take. */
size_t readback_bytes(struct readback_layout layout);

/* Bytes between the guard zones. */
size_t readback_contents(const struct buffer_spec *buffer);

#endif
