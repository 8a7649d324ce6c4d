#ifndef TUI_SCREENS_SUITE_SUITE_LINES_H
#define TUI_SCREENS_SUITE_SUITE_LINES_H

#include "core/suite/suite_progress.h"
#include "tui/term/canvas.h"

/* The lines around the table of a suite, each one line high. */

/* Its name, what runs it, and how many tasks are in which state. */
void suite_lines_draw_header(const struct suite_follow *follow,
                             const struct suite_progress *progress, struct area area);

/* The bar of its progress, and the time left. */
void suite_lines_draw_progress(const struct suite_follow *follow,
                               const struct suite_progress *progress, struct area area);

/* The totals of the rows that are shown. */
void suite_lines_draw_totals(const struct board_total *total, struct area area);

#endif
