#ifndef CORE_JUDGE_TOOL_RUNS_SANITIZING_RUN_H
#define CORE_JUDGE_TOOL_RUNS_SANITIZING_RUN_H

#include "core/judge/tool_runs/under_tool.h"

/* The sanitizer to run; borrowed. */
struct sanitizer_choice {
    const char *tool; /* a name in sanitizer_tools */
    const struct turn_taker *turns;
};

/*
 * Looks for wrong accesses, races and undefined operations of a candidate with the sanitizer of the
 * device's language: compute-sanitizer, oclgrind (a simulator), or a build with the compiler's own
 * sanitizers. If the sanitizer is missing or fails,
 * `sanitizing->missing` says why; only a cancellation or a failing disk is an error.
 */
enum status sanitizing_run(const struct evaluation *e, const struct sanitizer_choice *choice,
                           struct sanitizing *sanitizing, struct error *err) MUST_CHECK;

#endif
