#ifndef CORE_JUDGE_EXECUTOR_READBACK_H
#define CORE_JUDGE_EXECUTOR_READBACK_H

#include "core/judge/device/backend.h"
#include "core/system/memory/memfd.h"

/*
 * The layout of the memory that judge and executor share: the allocations of a dispatch's buffers
 * one after the other, each with its guard zones, and all of this twice, so that two runs can be
 * compared. Both processes compute the layout from the sizes alone, so the memory contains no
 * offsets that could be forged. Only the contents of outputs are copied. The layout has room for
 * the contents of the other buffers too; pages that are never written take no memory.
 */
enum { READBACK_SIDES = 2 };

/* The buffers of a dispatch; only their sizes matter. */
struct readback_layout {
    const struct buffer_spec *buffers;
    size_t count;
};

/* The address of the copy of allocation `index`, inside the mapped memory. */
unsigned char *readback_at(const struct memfd *memory, struct readback_layout layout, unsigned side,
                           size_t index);

/* Bytes of one side, and of both: the size of the memory. */
size_t readback_bytes(struct readback_layout layout);
size_t readback_size(struct readback_layout layout);

/* Bytes between the guard zones. */
size_t readback_contents(const struct buffer_spec *buffer);

#endif
