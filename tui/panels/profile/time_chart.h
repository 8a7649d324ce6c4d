#ifndef TUI_PANELS_PROFILE_TIME_CHART_H
#define TUI_PANELS_PROFILE_TIME_CHART_H

#include "core/model/verdict.h"
#include "tui/widgets/page.h"

/*
 * A chart of times in us, one line each: the candidate, its baselines, those that are still
 * awaited, and the bound.  A short bar is good: green is only a candidate faster than all others,
 * and what is faster than the candidate is a warning.
 */
void time_chart_add(struct page *page, const struct verdict *verdict, int columns);

#endif
