#ifndef CORE_AGENT_PROMPT_VERDICT_SUMMARY_H
#define CORE_AGENT_PROMPT_VERDICT_SUMMARY_H

#include "core/model/bound.h"

/*
 * What a verdict means, for prompts: where and how values are wrong, and what
 * a candidate's time goes into.  All results are JSON for templates, with
 * numbers as a reader wants them; the caller frees.
 */

/* `number` with three significant digits, which is all that a reader has a use for. */
double verdict_summary_round(double number);

/*
 * The trials that failed, the first first: {"output", "dims", "elements",
 * "mismatched", "percent", "nonfinite", "how", "ratio", "worst": [{"index",
 * "got", "want"}]}.  `how` is what the worst elements have in common: "nan",
 * "zero", "sign", "ratio" (all are `ratio` times what they should be), "offset", or "".
 */
struct json *verdict_summary_mismatches(const struct verdict *verdict);

/* The dimensions of the trials that did not fail, as texts. */
struct json *verdict_summary_passed(const struct verdict *verdict);

/*
 * Where the first failed trial is wrong: {"blocks", "wrong", "rows", "cols",
 * "row_first", "row_last", "col_first", "col_last"}, the output cut into rows
 * x cols blocks, its last axis along the columns; null where nothing is.
 */
struct json *verdict_summary_places(const struct verdict *verdict);

/*
 * The measured time beside the device's roofs: {"limit", "memory", "compute",
 * "kernels": [{"name", "us", "percent"}], "between"}.  `memory` and `compute`
 * are {"rate", "roof", "percent"} in GB/s and Gflop/s, or null where the roof
 * is unknown; `between` is the percentage of the time in which no kernel
 * runs, null where kernels were not timed.  `limit` says what that amounts
 * to: "bound" (nothing is left to gain), "launches", "memory", "compute",
 * "latency" (neither roof is near).  Null for a candidate that was not timed.
 */
struct json *verdict_summary_profile(const struct verdict *verdict, const struct roofs *roofs);

#endif
