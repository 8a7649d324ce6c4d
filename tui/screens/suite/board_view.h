#ifndef TUI_SCREENS_SUITE_BOARD_VIEW_H
#define TUI_SCREENS_SUITE_BOARD_VIEW_H

#include "core/suite/suite_board.h"

/*
 * Chooses the rows of a suite's table to show, their order and their groups.  board_columns.h
 * writes the columns.
 */

enum board_order {
    BOARD_AS_GIVEN,
    BOARD_BY_STATE,
    BOARD_BY_SPEEDUP,
    /* by the share of the bound, the smallest first, because these rows can gain the most */
    BOARD_BY_SHARE,
    BOARD_BY_TRIES,
    BOARD_BY_COST,
    BOARD_ORDERS,
};

enum board_group {
    BOARD_UNGROUPED,
    BOARD_OF_PROBLEM,
    BOARD_OF_ARM,
    BOARD_OF_STATE,
    BOARD_OF_DEVICE,
    BOARD_GROUPS,
};

/* Names for commands and headers; NULL ends each list. */
extern const char *const board_order_names[BOARD_ORDERS + 1];
extern const char *const board_group_names[BOARD_GROUPS + 1];

/* A line of the table: a row, or the heading of a group of rows. */
struct board_line {
    bool is_heading;
    /* index in the board; for a heading, the index of the first row of its group */
    size_t row;
    size_t first, count; /* for a heading: its group's rows in board_view.rows */
};

struct board_view {
    const struct suite_follow *follow; /* borrowed, like the board */
    const struct suite_board *board;
    enum board_order order;
    enum board_group group;
    enum board_state only; /* show rows of this state only; BOARD_STATES: all rows */
    struct {
        size_t *items; /* indices of the rows to show, in order */
        size_t count, capacity;
    } rows;
    struct {
        struct board_line *items;
        size_t count, capacity;
    } lines;
    int label_w, arm_w; /* columns of the longest label and of the longest name of an arm */
};

/* Choose and sort the rows again. */
void board_view_choose(struct board_view *view);
void board_view_release(struct board_view *view);

/* The name of a row's group, such as "softmax", "arm builtin", "asks" or "opencl:0". */
const char *board_view_group_of(const struct board_view *view, const struct board_row *row);

#endif
