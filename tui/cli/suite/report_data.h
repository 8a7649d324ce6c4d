#ifndef TUI_CLI_SUITE_REPORT_DATA_H
#define TUI_CLI_SUITE_REPORT_DATA_H

#include "core/base/json.h"
#include "core/suite/report/suite_report.h"

/*
 * The report as data for other programs (FORMATS.md). An unknown value is absent in JSON, and an
 * empty field in CSV.
 */

/* The report as an object, which the caller owns. */
struct json *report_data_encode(const struct suite_report *report);

/* Append the tasks in CSV (RFC 4180), a row for each. */
void report_data_add_csv(const struct suite_report *report, struct strbuf *out);

#endif
