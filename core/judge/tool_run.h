#ifndef CORE_JUDGE_TOOL_RUN_H
#define CORE_JUDGE_TOOL_RUN_H

#include "core/judge/evaluation.h"

/*
 * Runs of a candidate under a tool (ncu, compute-sanitizer). The tool starts an executor of its
 * own, in which the candidate runs once more, launch by launch. If the tool is missing or fails,
 * the result's `missing` says why; only a cancellation or a failing disk is an error.
 */

/*
 * Run the tools that are asked for, if the verdict so far allows them. The outcome does not change.
 */
enum status tool_run_examine(const struct evaluation *evaluation, const struct judge_tools *tools,
                             struct error *err) MUST_CHECK;

#endif
