#ifndef CORE_SYSTEM_PARALLEL_H
#define CORE_SYSTEM_PARALLEL_H

#include <stdbool.h>
#include <stddef.h>

/* Parallel loops over independent items, on all cores that this process may use. */

/* Process the items [first, last). Called from several threads at once, with different items. */
typedef void parallel_fn(void *data, size_t first, size_t last);

/*
 * Call `work` for all items of [0, count), in parts of at least `grain` items. Returns when all are
 * done.
 */
void parallel_for(size_t count, size_t grain, parallel_fn *work, void *data);

/* Copy bytes, large blocks of them on all cores. */
void parallel_copy(void *to, const void *from, size_t bytes);

/* True if the bytes are the same; large blocks of them are compared on all cores. */
bool parallel_same(const void *a, const void *b, size_t bytes);

#endif
