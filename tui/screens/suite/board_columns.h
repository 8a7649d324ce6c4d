#ifndef TUI_SCREENS_SUITE_BOARD_COLUMNS_H
#define TUI_SCREENS_SUITE_BOARD_COLUMNS_H

#include "core/base/format.h"
#include "tui/screens/suite/board_view.h"
#include "tui/widgets/widget_list.h"

/* The columns of a suite's table.  Without room for all the least important ones are left out. */

/* The lines for a list: headings of groups, and rows in the columns that fit. */
struct widget_rows board_columns_lines(const struct board_view *view);

/* The titles of the columns. */
void board_columns_put_titles(const struct board_view *view, struct pen *pen);

/* "ASKS", "runs 1/3", "faster": the state of a row, and the role to write it in. */
enum role board_columns_state(const struct board_row *row, char *text, size_t size);

/* "keep 1.30x", "advice 1.20x": the step that waits, and what it could gain. */
void board_columns_add_waiting(const struct task_facts *facts, struct strbuf *out);

#endif
