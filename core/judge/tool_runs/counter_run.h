#ifndef CORE_JUDGE_TOOL_RUNS_COUNTER_RUN_H
#define CORE_JUDGE_TOOL_RUNS_COUNTER_RUN_H

#include "core/judge/tool_runs/under_tool.h"

/*
 * Profile a candidate on the host's cores: further runs, in the executor that has judged it, while
 * the judge counts the work of the executor's threads (core/judge/tools/perf_counters.h). The
 * executor itself may open no counters. `profile->missing` says what could not be counted; only a
 * cancellation is an error.
 */
enum status counter_run(const struct evaluation *e, const struct turn_taker *turns,
                        struct profile *profile, struct error *err) MUST_CHECK;

#endif
