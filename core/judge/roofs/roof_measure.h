#ifndef CORE_JUDGE_ROOFS_ROOF_MEASURE_H
#define CORE_JUDGE_ROOFS_ROOF_MEASURE_H

#include "core/judge/executor/executor.h"
#include "core/model/bound.h"

/*
 * The roofs of a device, measured by microbenchmarks that run like any
 * candidate: sums of two vectors at growing sizes, for the bandwidth of each
 * level of the memory, and multiply-adds in registers.
 *
 * Others on the machine can only make a roof look lower than it is.  So what
 * counts is the best of several short rounds, and what is kept in the user's
 * cache says how busy others were; it is only ever raised by what is measured
 * later, unless it is measured anew on demand.
 */

/* What the cache has of a device.  Unknown (bound.h), and false, where it has nothing. */
bool roof_measure_recall(const struct device_info *device, struct roofs *roofs);

/* Whether to measure: they are unknown, or others were busy then and are less so now. */
bool roof_measure_is_due(const struct roofs *roofs);

/*
 * Measure again, and keep the better of old and new, in the cache as well.
 * Leaves the executor without tensors, like roof_measure_anew().
 */
enum status roof_measure_raise(struct executor *executor, struct roofs *roofs,
                               struct error *err) MUST_CHECK;

/* Measure, whatever the cache says, and put the result there. */
enum status roof_measure_anew(struct executor *executor, struct roofs *roofs,
                              struct error *err) MUST_CHECK;

/* The same on `device`, with an executor of its own like the one that `options` make. */
enum status roof_measure_device(const struct executor_options *options, const char *device,
                                struct roofs *roofs, struct error *err) MUST_CHECK;

#endif
