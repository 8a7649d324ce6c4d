#ifndef TUI_PANELS_KERNEL_FLAGS_H
#define TUI_PANELS_KERNEL_FLAGS_H

#include "tui/panels/view_model.h"
#include "tui/widgets/widget_text.h"

/*
 * The margin of the kernel: letters for lines that the compiler or the profiler reports, and bars
 * for the stalls that a profiler counted at a line.
 */

/*
 * Flag the hottest lines and the lines with messages of the compiler; messages take precedence.
 * Bars are relative to the line with the most stalls. Without a profile by line there is no column
 * for bars.
 */
void kernel_flags_add(struct widget_text *text, const struct subject *shown);

#endif
