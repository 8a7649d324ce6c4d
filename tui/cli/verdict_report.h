#ifndef TUI_CLI_VERDICT_REPORT_H
#define TUI_CLI_VERDICT_REPORT_H

#include "core/base/strbuf.h"
#include "core/model/verdict.h"

/* Append a verdict as lines of text: outcome, build, trials, times, bound, floor, hazards, profile.
 */
void verdict_report_write(const struct verdict *verdict, struct strbuf *out);

#endif
