#ifndef CORE_JUDGE_TASK_CAPACITY_H
#define CORE_JUDGE_TASK_CAPACITY_H

#include "core/judge/device/backend.h"
#include "core/judge/oracle/oracle.h"
#include "core/model/problem.h"

/*
 * Whether a problem can be judged here at all: known before anything is
 * allocated, because running out of memory later would take the judge down.
 */

/*
 * STATUS_INVALID, naming the file and what to change, where the graph is not known and there is no
 * evaluator, a tensor at the main dimensions does not fit the device, or the expected values do not
 * fit this machine.  `device` may be NULL: then nothing runs there.
 */
enum status capacity_check(const struct problem *problem, const struct oracle_evaluator *evaluator,
                           const struct device_info *device, struct error *err) MUST_CHECK;

#endif
