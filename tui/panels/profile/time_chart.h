#ifndef TUI_PANELS_PROFILE_TIME_CHART_H
#define TUI_PANELS_PROFILE_TIME_CHART_H

#include "core/model/verdict.h"
#include "tui/widgets/page.h"

/*
 * A chart of times in microseconds, one line each: the candidate, its baselines, awaited baselines,
 * and the bound. A short bar is good. The candidate is green only if it is faster than all others;
 * a baseline that is faster than the candidate has the colour of a warning.
 */
void time_chart_add(struct page *page, const struct verdict *verdict, int columns);

#endif
