#ifndef TUI_CLI_SUITE_REPORT_SVG_H
#define TUI_CLI_SUITE_REPORT_SVG_H

#include "core/suite/report/suite_report.h"

/*
 * Append the report as a picture (SVG 1.1): the share of ended tasks that are faster than a
 * threshold, as a curve for each arm, and below it the speedups with their intervals by problem and
 * arm, a mark for each repeat.  Arms differ by shape as well as by colour.
 */
void report_svg_add(const struct suite_report *report, struct strbuf *out);

#endif
