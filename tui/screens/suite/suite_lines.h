#ifndef TUI_SCREENS_SUITE_SUITE_LINES_H
#define TUI_SCREENS_SUITE_SUITE_LINES_H

#include "core/suite/suite_progress.h"
#include "tui/screens/chrome.h"
#include "tui/term/canvas.h"

/* The lines around the table of a suite, each one line high. */

/* Draw the suite's name, the process that runs it, and the number of tasks in each state. */
void suite_lines_draw_header(const struct suite_follow *follow,
                             const struct suite_progress *progress, struct area area);

/* Show a message that a suite runs already, and where. */
void suite_lines_say_it_runs(struct chrome *chrome, const struct lease_process *process);

/* Draw the progress bar and the time left. */
void suite_lines_draw_progress(const struct suite_follow *follow,
                               const struct suite_progress *progress, struct area area);

/* Draw the totals of the rows shown. */
void suite_lines_draw_totals(const struct board_total *total, struct area area);

#endif
