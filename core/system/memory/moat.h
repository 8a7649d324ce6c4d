#ifndef CORE_SYSTEM_MEMORY_MOAT_H
#define CORE_SYSTEM_MEMORY_MOAT_H

#include <stddef.h>

/*
 * Host memory between two ranges of addresses that nothing may read or write. A kernel on a CPU
 * runs in the executor's process: a kernel that leaves its buffer by more than the guard zone would
 * reach memory of the driver or the executor and damage it silently. With the moat it crashes at
 * once, and no later candidate is blamed. A range takes addresses, but no memory.
 */
struct moat;

/*
 * The size of a range in bytes: 2^31 elements of 16 bytes, the reach of a signed index of 32 bits.
 */
#define MOAT_BYTES ((size_t)32 << 30)

/*
 * The bytes of addresses that `ulimit -v` allows this process; 0 without a limit. Under a limit the
 * ranges are a small part of it.
 */
unsigned long long moat_address_limit(void);

/* Memory of at least `size` bytes, all zeros. NULL when the system has no room for it. */
struct moat *moat_new(size_t size);

/* Give the memory back. Takes NULL. */
void moat_free(struct moat *moat);

/* The address of the first byte, at the beginning of a page; valid until moat_free(). */
void *moat_bytes(const struct moat *moat);

#endif
