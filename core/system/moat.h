#ifndef CORE_SYSTEM_MOAT_H
#define CORE_SYSTEM_MOAT_H

#include <stddef.h>

/*
 * Memory of the host between two ranges of addresses that nothing may read or write. A kernel on a
 * CPU runs in the executor's process: one that leaves its buffer by more than the guard zone would
 * find the driver's memory or the executor's, and damage it silently. Here it crashes at once, and
 * no later candidate is blamed. A range takes addresses, but no memory.
 */
struct moat;

/* Bytes of a range: what a signed index of 32 bits reaches in elements of 16 bytes. */
#define MOAT_BYTES ((size_t)32 << 30)

/* Memory of at least `size` bytes, all zeros. NULL: the system has no room for it. */
struct moat *moat_new(size_t size);

/* Give the memory back. Takes NULL. */
void moat_free(struct moat *moat);

/* The first byte, at the beginning of a page. */
void *moat_bytes(const struct moat *moat);

#endif
