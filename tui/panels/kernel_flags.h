#ifndef TUI_PANELS_KERNEL_FLAGS_H
#define TUI_PANELS_KERNEL_FLAGS_H

#include "tui/panels/view_model.h"
#include "tui/widgets/widget_text.h"

/*
 * The margin of the kernel: letters for what the compiler and the profiler say of a line, and bars
 * for the stalls that a profiler counted at it.
 */

/*
 * Flag the hottest lines and those with messages of the compiler, which take precedence.  Bars are
 * relative to the line with the most stalls; without a profile by line there is no column for them.
 */
void kernel_flags_add(struct widget_text *text, const struct subject *shown);

#endif
