#ifndef CORE_JUDGE_TOOL_RUNS_TOOL_RUN_H
#define CORE_JUDGE_TOOL_RUNS_TOOL_RUN_H

#include "core/judge/tool_runs/ncu_process.h"
#include "core/judge/tool_runs/under_tool.h"

/*
 * Runs of a candidate under a tool (ncu, compute-sanitizer). The tool starts an executor of its
 * own, in which the candidate runs once more, launch by launch. If the tool is missing or fails,
 * the result's `missing` says why; only a cancellation or a failing disk is an error.
 *
 * The tool takes seconds to start and to write its report, and uses only the host meanwhile.
 * Therefore the executor is prepared first; then the judge waits for its turn, and has the device
 * alone only while the candidate runs.
 */

/*
 * Start a profiler for a candidate that will come, if candidates get profiles, unless `*ahead` is
 * one. Two threads may be at work then until tool_process_settle().
 */
void tool_run_expect(const struct evaluation_context *context, const struct judge_tools *tools,
                     struct ncu_process **ahead);

/*
 * Run the tools that are asked for, if the verdict so far allows them. The outcome does not change.
 * `*ahead` is a profiler that has been started or NULL; if it is used in a session, the next one is
 * started.
 */
enum status tool_run_examine(const struct evaluation *evaluation, const struct judge_tools *tools,
                             const struct turn_taker *turns, struct ncu_process **ahead,
                             struct error *err) MUST_CHECK;

#endif
