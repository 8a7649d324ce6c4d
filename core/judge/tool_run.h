#ifndef CORE_JUDGE_TOOL_RUN_H
#define CORE_JUDGE_TOOL_RUN_H

#include "core/judge/evaluation.h"

/*
 * Looking at a candidate with a tool: it is run once more, launch by launch,
 * in an executor of its own that the tool starts.  What the tool cannot do,
 * or that it is not there, is said in the result's `missing`; only what is
 * cancelled, or a disk that fails, is an error.
 */

/* Take the looks that are asked for, and that the verdict so far allows; it is not judged anew. */
enum status tool_run_examine(const struct evaluation *evaluation, const struct judge_tools *tools,
                             struct error *err) MUST_CHECK;

#endif
