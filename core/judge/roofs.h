#ifndef CORE_JUDGE_ROOFS_H
#define CORE_JUDGE_ROOFS_H

#include "core/judge/bound.h"
#include "core/judge/executor.h"

/*
 * The roofs of a device, measured by microbenchmarks that run like any
 * candidate: a sum of two vectors at growing sizes, for the bandwidth of
 * each level of the memory, and multiply-adds in registers.
 */

/* From the cache, or measured now and put there.  Leaves the executor without tensors. */
enum status roofs_get(struct executor *executor, struct roofs *roofs, struct error *err) MUST_CHECK;

/* What the cache has of a device.  Unknown (bound.h), and false, where it has nothing. */
bool roofs_recall(const struct device_info *device, struct roofs *roofs);

/* Measure again, and keep the better of old and new, in the cache as well. */
enum status roofs_raise(struct executor *executor, struct roofs *roofs,
                        struct error *err) MUST_CHECK;

/* Measure, whatever the cache says, and put the result there. */
enum status roofs_measure(struct executor *executor, struct roofs *roofs,
                          struct error *err) MUST_CHECK;

#endif
