#ifndef CORE_SYSTEM_PARALLEL_H
#define CORE_SYSTEM_PARALLEL_H

#include <stddef.h>

/* Loops over independent items on all cores that this process may use. */

/* Work on items [first, last).  Runs on any thread, several at once on different items. */
typedef void parallel_fn(void *data, size_t first, size_t last);

/* Call `work` for all of [0, count), in parts of at least `grain` items; return when all is done.
 */
void parallel_for(size_t count, size_t grain, parallel_fn *work, void *data);

#endif
