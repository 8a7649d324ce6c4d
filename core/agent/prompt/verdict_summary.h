#ifndef CORE_AGENT_PROMPT_VERDICT_SUMMARY_H
#define CORE_AGENT_PROMPT_VERDICT_SUMMARY_H

#include "core/model/roofline/bound.h"

/*
 * Summaries of a verdict for prompts: where and how values are wrong, and
 * which limit of the device a candidate's time is near.  All results are JSON
 * for the templates, with rounded numbers; the caller frees them.
 */

/* Put a number with three significant digits. */
void verdict_summary_put(struct json *object, const char *key, double number);

/*
 * The trials that failed, in their order: {"output", "dims", "data", "elements",
 * "mismatched", "percent", "nonfinite", "how", "ratio", "worst": [{"index",
 * "got", "want"}]}.  `data` is a sentence about varied data, or "".  `how` names the common fault
 * of the worst elements: "nan", "zero", "sign", "ratio" (each is `ratio` times the expected value),
 * "offset", or "" for none.
 */
struct json *verdict_summary_mismatches(const struct verdict *verdict);

/* The dimensions of the trials that passed, as strings. */
struct json *verdict_summary_passed(const struct verdict *verdict);

/*
 * The places of the first failed trial's errors: {"blocks", "wrong", "rows",
 * "cols", "row_first", "row_last", "col_first", "col_last"}.  The output is
 * divided into rows x cols blocks, with its last axis along the columns.  Null
 * if no element is wrong.
 */
struct json *verdict_summary_places(const struct verdict *verdict);

/*
 * The share of the graph's bound: {"text", "beaten", "left"}.  `left` is the
 * bound's factor over the candidate.  Null for a candidate without bound.
 */
struct json *verdict_summary_share(const struct verdict *verdict);

/*
 * The measured time compared with the device's roofs: {"limit", "memory",
 * "compute", "kernels": [{"name", "us", "percent"}], "between"}.  `memory` and
 * `compute` are {"rate", "roof", "percent"} in GB/s and Gflop/s, or null where
 * the roof is unknown.  `between` is the percentage of the time in which no
 * kernel runs, null if the kernels were not timed.  `limit` names the limit of
 * the candidate: "beaten" (it needs less than the graph), "bound" (the graph's
 * bound is reached), "launches", "memory", "compute", or "latency" (neither
 * roof is near).  Null for a candidate that was not timed.
 */
struct json *verdict_summary_profile(const struct verdict *verdict, const struct roofs *roofs);

#endif
