#ifndef TUI_CLI_SUITE_REPORT_TEXT_H
#define TUI_CLI_SUITE_REPORT_TEXT_H

#include "core/suite/report/suite_report.h"

/* Append the report as text for people: tables in columns, or in Markdown. */
void report_text_add(const struct suite_report *report, bool as_markdown, struct strbuf *out);

#endif
