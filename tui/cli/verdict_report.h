#ifndef TUI_CLI_VERDICT_REPORT_H
#define TUI_CLI_VERDICT_REPORT_H

#include "core/base/strbuf.h"
#include "core/model/verdict.h"

/* A verdict as text for people, several lines, with everything that was found out. */
void verdict_report_write(const struct verdict *verdict, struct strbuf *out);

#endif
