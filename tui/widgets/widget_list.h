#ifndef TUI_WIDGETS_WIDGET_LIST_H
#define TUI_WIDGETS_WIDGET_LIST_H

#include "tui/keys/keymap.h"
#include "tui/term/canvas.h"
#include "tui/term/pattern.h"

/*
 * A list of rows with one selected row. It scrolls so that the selected row is visible. A filter
 * hides the rows that do not match it. A "place" is the index of a row among those that match.
 */

/* The rows that a list shows; put() writes one with a pen at the start of the row. */
struct widget_rows {
    size_t count;
    void (*put)(const void *data, size_t row, struct pen *pen);
    const void *data;

    /* True if a row passes the list's filter.  NULL: a row passes if its text has the filter. */
    bool (*passes)(const void *data, size_t row, const char *filter);
};

/* All zeros is a list at its start. */
struct widget_list {
    size_t selected; /* the index of a row */
    size_t top;      /* the place of the first visible row */
    size_t height;   /* visible rows when the list was drawn last */
    struct pattern filter;
    struct {
        size_t *items; /* the rows that match the filter, as of the last drawing */
        size_t count, capacity;
    } passing;
};

/* Draw the rows that match the filter, with the selected one visible and highlighted. */
void widget_list_draw(struct widget_list *list, const struct widget_rows *rows, struct area area);
void widget_list_release(struct widget_list *list);

/* Write on the lower border of the list's box how many rows follow the last visible one. */
void widget_list_draw_rest(const struct widget_list *list, size_t count, enum role role,
                           struct area box);

/* Move the selection by a command; return whether the command is one that moves it. */
bool widget_list_move(struct widget_list *list, enum screen_command command, size_t count);

/* Select the row that was drawn in line `y` of the list; false if there is none. */
bool widget_list_select_at(struct widget_list *list, size_t y, size_t count);

/*
 * Select the next row with a match (`direction` 1), the previous one (-1), or the first from the
 * selected row on (0).  The search wraps around at the ends.  False: no row matches.
 */
bool widget_list_find(struct widget_list *list, const struct widget_rows *rows,
                      const struct pattern *pattern, int direction);

/* Append a row as text, with a newline. */
void widget_rows_add_text(const struct widget_rows *rows, size_t row, struct strbuf *out);

#endif
