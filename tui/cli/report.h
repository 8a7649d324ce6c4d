#ifndef TUI_CLI_REPORT_H
#define TUI_CLI_REPORT_H

#include "core/base/strbuf.h"
#include "core/model/verdict.h"

/* A verdict as text for people, several lines, with everything that was found out. */
void report_verdict(const struct verdict *verdict, struct strbuf *out);

/* A time with a unit that suits it: "71.8 us", "1.24 ms". */
void report_time(double us, struct strbuf *out);

#endif
