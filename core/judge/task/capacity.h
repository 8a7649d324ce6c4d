#ifndef CORE_JUDGE_TASK_CAPACITY_H
#define CORE_JUDGE_TASK_CAPACITY_H

#include "core/judge/device/backend.h"
#include "core/judge/oracle/oracle.h"
#include "core/model/problem.h"

/*
 * A check that a problem can be judged on this machine. It is made before anything is allocated,
 * because running out of memory later would end the judge.
 */

/*
 * STATUS_INVALID, with the file and the remedy, if a problem without a graph has no evaluator, if a
 * tensor at the main dimensions does not fit the device, or if the expected values do not fit this
 * machine's memory. Those of a large graph are computed on the device if it is a GPU: then only the
 * outputs need memory of the host. `device` may be NULL: then only the host is checked.
 */
enum status capacity_check(const struct problem *problem, const struct oracle_evaluator *evaluator,
                           const struct device_info *device, struct error *err) MUST_CHECK;

/*
 * How many trials at the main dimensions, at most `wanted` and at least one: with `others` besides,
 * their expected outputs stay in a quarter of this machine's memory.
 */
unsigned capacity_trials(const struct problem *problem, unsigned wanted, unsigned others);

#endif
