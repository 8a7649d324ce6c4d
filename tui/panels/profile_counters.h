#ifndef TUI_PANELS_PROFILE_COUNTERS_H
#define TUI_PANELS_PROFILE_COUNTERS_H

#include "core/model/verdict.h"
#include "tui/widgets/page.h"

/*
 * What a profiler's counters say of a candidate (core/model/profile.h): what
 * they come to first, then each counter beside what the parent has of it, and
 * the lines of the source that the kernels wait at.
 */

/* Add sections for what is there; nothing where no profiler has looked. */
void profile_counters_add(struct page *page, const struct verdict *verdict,
                          const struct verdict *parent, int columns);

#endif
