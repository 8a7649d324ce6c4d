#ifndef CORE_SYSTEM_MEMORY_MEMFD_H
#define CORE_SYSTEM_MEMORY_MEMFD_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/status.h"

/*
 * Memory that two processes share: a file without a name (memfd_create(2)), mapped by both. Only
 * the process that creates the file changes its size, and it seals the file against shrinking:
 * otherwise the other process could truncate the file, and reading the mapping would crash. All
 * zeros means no memory.
 */
struct memfd {
    int fd; /* 0 for none */
    unsigned char *bytes;
    size_t size; /* bytes of the mapping */
};

/*
 * Create an empty file, whose descriptor is above those that a child gets by number. STATUS_IO if
 * that fails.
 */
enum status memfd_open(struct memfd *memory, struct error *err) MUST_CHECK;

/*
 * Map at least `size` bytes of a file that has them; the address may change. STATUS_UNAVAILABLE if
 * that fails.
 */
enum status memfd_map(struct memfd *memory, size_t size, struct error *err) MUST_CHECK;

/* Extend the file to `size` bytes and map it; its contents stay. STATUS_UNAVAILABLE on failure. */
enum status memfd_grow(struct memfd *memory, size_t size, struct error *err) MUST_CHECK;

/*
 * Give the pages of the whole file back to the kernel; the file then reads as zeros. False when the
 * kernel refuses.
 */
bool memfd_clear(const struct memfd *memory) MUST_CHECK;

/* Unmap and close; all zeros afterwards. */
void memfd_release(struct memfd *memory);

#endif
