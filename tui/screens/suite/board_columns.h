#ifndef TUI_SCREENS_SUITE_BOARD_COLUMNS_H
#define TUI_SCREENS_SUITE_BOARD_COLUMNS_H

#include "core/base/format.h"
#include "tui/screens/suite/board_view.h"
#include "tui/widgets/widget_list.h"

/* The columns of a suite's table. If not all fit, the least important ones are left out. */

/* The lines of the list: headings of groups, and rows with the columns that fit. */
struct widget_rows board_columns_lines(const struct board_view *view);

/* The titles of the columns. */
void board_columns_put_titles(const struct board_view *view, struct pen *pen);

/* Append the waiting step and what it could gain, such as "keep 1.30x" or "advice 1.20x". */
void board_columns_add_waiting(const struct task_facts *facts, struct strbuf *out);

#endif
