#ifndef TUI_PANELS_CANDIDATE_METRICS_H
#define TUI_PANELS_CANDIDATE_METRICS_H

#include "core/model/verdict.h"
#include "tui/widgets/page.h"

/*
 * The metrics of a candidate, one number each: time, bandwidth, rate of operations, resources.
 */

/* Add a line for each known metric, with the change from `other`. */
void candidate_metrics_add(struct page *page, const struct verdict *verdict,
                           const struct verdict *other);

#endif
