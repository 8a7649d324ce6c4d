#ifndef CORE_SYSTEM_MEMFD_H
#define CORE_SYSTEM_MEMFD_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/status.h"

/*
 * Memory that two processes share: a file without a name (memfd_create(2)),
 * mapped by both.  The process that creates it alone decides on its size, and
 * seals it against shrinking: otherwise the other process could cut it short,
 * and reading the mapping would crash.  All zeros means no memory.
 */
struct memfd {
    int fd; /* 0 for none */
    unsigned char *bytes;
    size_t size; /* bytes of the mapping */
};

/* Create an empty file.  Its descriptor is above those that a child is given by number. */
enum status memfd_open(struct memfd *memory, struct error *err) MUST_CHECK;

/* Map at least `size` bytes of a file that is that large; the address may change. */
enum status memfd_map(struct memfd *memory, size_t size, struct error *err) MUST_CHECK;

/* Make the file that large, and map it; its contents stay. */
enum status memfd_grow(struct memfd *memory, size_t size, struct error *err) MUST_CHECK;

/* Give the pages of the whole file back to the kernel: it then reads as zeros.  False when the
 * kernel refuses. */
bool memfd_clear(const struct memfd *memory) MUST_CHECK;

/* Unmap and close; all zeros afterwards. */
void memfd_release(struct memfd *memory);

#endif
