#ifndef TUI_PANELS_PROFILE_PROFILE_COUNTERS_H
#define TUI_PANELS_PROFILE_PROFILE_COUNTERS_H

#include "tui/panels/view_model.h"
#include "tui/widgets/page.h"

/*
 * The counters of a profiler for a candidate (core/model/profile.h): first the limits that it
 * found, the largest gain first, then each counter compared with the parent, and the source lines
 * at which the kernels stall.
 */

/* Add a line with the limit whose removal would gain the most; nothing if there is none. */
void profile_counters_add_top_limit(struct page *page, const struct verdict *verdict);

/*
 * Add a section for each part of the profile; nothing if there is no profile. `remedy` says how to
 * get one where none was taken; NULL: nothing does.
 */
void profile_counters_add(struct page *page, const struct profile *profile,
                          const struct profile *parent, const char *remedy, int columns);

/* Add the counters of the candidate in view, and how a question of the engineer for them stands. */
void profile_counters_show(struct page *page, const struct view_model *view_model, int columns);

#endif
