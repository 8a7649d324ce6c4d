#ifndef CORE_JUDGE_TASK_CAPACITY_H
#define CORE_JUDGE_TASK_CAPACITY_H

#include "core/judge/device/backend.h"
#include "core/judge/oracle/oracle.h"
#include "core/model/problem.h"

/*
 * Checks that a problem can be judged on this machine. The check comes before any allocation,
 * because the judge ends when memory runs out.
 */

/*
 * STATUS_INVALID, with the file and the remedy, if a problem without a graph has no evaluator, if a
 * tensor at the main dimensions does not fit the device, or if the expected values do not fit this
 * machine's memory. A GPU computes the expected values of a large graph itself; then only the
 * outputs need host memory. `device` may be NULL: then only the host is checked.
 */
enum status capacity_check(const struct problem *problem, const struct oracle_evaluator *evaluator,
                           const struct device_info *device, struct error *err) MUST_CHECK;

/*
 * The number of trials at the main dimensions, at least one and at most `wanted`, so that their
 * expected outputs and `others` more of the same size fit into a quarter of this machine's memory.
 * Outputs that stay on a GPU have tens of millions of elements, so three trials are enough.
 * `device` may be NULL.
 */
unsigned capacity_trials(const struct problem *problem, const struct device_info *device,
                         unsigned wanted, unsigned others);

#endif
