#ifndef CORE_JUDGE_EXECUTOR_READBACK_H
#define CORE_JUDGE_EXECUTOR_READBACK_H

#include "core/judge/device/backend.h"
#include "core/system/memfd.h"

/*
 * The memory that judge and executor share: the allocations of a dispatch's
 * buffers one after the other, each with its guard zones, and all of it
 * twice, so that one run can be held against another.  Both processes know
 * the layout from the sizes alone, so nothing in the memory says where
 * anything is.  Only outputs are copied with what is between their guards:
 * there is room for the rest, which takes no memory as long as nobody writes.
 */
enum { READBACK_SIDES = 2 };

/* The buffers of a dispatch, of which only the sizes matter. */
struct readback_layout {
    const struct buffer_spec *buffers;
    size_t count;
};

/* The copy of an allocation. */
unsigned char *readback_at(const struct memfd *memory, struct readback_layout layout, unsigned side,
                           size_t index);

/* Bytes of one side, and of both: the size of the memory. */
size_t readback_bytes(struct readback_layout layout);
size_t readback_size(struct readback_layout layout);

/* Bytes between the guard zones. */
size_t readback_contents(const struct buffer_spec *buffer);

#endif
