#ifndef TUI_SCREENS_SUITE_TASK_PAGE_H
#define TUI_SCREENS_SUITE_TASK_PAGE_H

#include "core/suite/suite_board.h"
#include "tui/widgets/page.h"

/* Write the facts of a row: its problem and arm, and the session of each repeat. */
void task_page_write(const struct suite_follow *follow, const struct board_row *row,
                     struct page *page, int columns);

#endif
