#ifndef TUI_PANELS_KERNEL_FLAGS_H
#define TUI_PANELS_KERNEL_FLAGS_H

#include "tui/panels/view_model.h"
#include "tui/widgets/widget_text.h"

/* Letters in the margin of the kernel: what the compiler and the profiler say of a line. */

/* Flag the hottest lines and those with messages of the compiler, which take precedence. */
void kernel_flags_add(struct widget_text *text, const struct subject *shown);

#endif
