#ifndef TUI_PANELS_CANDIDATE_METRICS_H
#define TUI_PANELS_CANDIDATE_METRICS_H

#include "core/model/verdict.h"
#include "tui/widgets/page.h"

/*
 * What can be said of a candidate in one number each: its time, how much it
 * moves and computes in it, what it uses.
 */

/* The most memory and registers that any of its kernels uses; 0 where none tells. */
struct kernel_resources candidate_metrics_most(const struct verdict *verdict);

/* Add a line for each that is known, beside what `other` has of it. */
void candidate_metrics_add(struct page *page, const struct verdict *verdict,
                           const struct verdict *other);

#endif
