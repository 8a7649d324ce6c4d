#ifndef CORE_JUDGE_ROOFS_ROOF_MEASURE_H
#define CORE_JUDGE_ROOFS_ROOF_MEASURE_H

#include "core/judge/executor/executor.h"
#include "core/model/roofline/bound.h"

/*
 * Measures the roofs of a device by microbenchmarks, which run like any candidate: sums of two
 * vectors at growing sizes for the bandwidth of each level of the memory, and multiply-adds in
 * registers.
 *
 * Other load on the machine can only reduce a measured roof. Therefore the best of several short
 * rounds counts, and the user's cache stores the roofs with the load during the measurement. Later
 * measurements only raise them, unless the engineer asks for a new measurement.
 */

/*
 * Read the roofs of a device from the cache. If it has none they are unknown (bound.h), and the
 * result is false.
 */
bool roof_measure_recall(const struct device_info *device, struct roofs *roofs);

/* True if the roofs are unknown, or were measured under a load that is lower now. */
bool roof_measure_is_due(const struct roofs *roofs);

/*
 * Measure again, and keep the better of the old and new values, in the cache too. Removes the
 * executor's tensors.
 */
enum status roof_measure_raise(struct executor *executor, struct roofs *roofs,
                               struct error *err) MUST_CHECK;

/*
 * Measure any `device` without regard to the cache, and store the result in it. Makes an executor
 * of its own with `options`.
 */
enum status roof_measure_device(const struct executor_options *options, const char *device,
                                struct roofs *roofs, struct error *err) MUST_CHECK;

#endif
