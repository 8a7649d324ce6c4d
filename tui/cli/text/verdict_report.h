#ifndef TUI_CLI_TEXT_VERDICT_REPORT_H
#define TUI_CLI_TEXT_VERDICT_REPORT_H

#include "core/base/strbuf.h"
#include "core/model/verdict.h"

/* Append a verdict as lines of text: outcome, build, trials, times, bound, floor, hazards, profile.
 */
void verdict_report_write(const struct verdict *verdict, struct strbuf *out);

/*
 * Append what a verdict with the compiled baselines adds to an earlier verdict on the same
 * candidate: result, times, hazards.
 */
void verdict_report_write_baselines(const struct verdict *verdict, struct strbuf *out);

/*
 * Append a verdict in one line, for attempts that follow each other: outcome, time, speedups; then
 * a line for each error of the compiler, or for the worst element.  `previous` is the number of the
 * attempt that the judge timed in turn with this one; 0: none.
 */
void verdict_report_write_short(const struct verdict *verdict, unsigned previous,
                                struct strbuf *out);

#endif
