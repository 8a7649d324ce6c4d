#ifndef TUI_WIDGETS_WIDGET_LIST_H
#define TUI_WIDGETS_WIDGET_LIST_H

#include "tui/keys/keymap.h"
#include "tui/term/canvas.h"
#include "tui/term/pattern.h"

/*
 * A list of rows, one of them selected, that scrolls so that the selected row
 * is in sight.  With a filter only the rows that hold its text are there.
 */

/* What a list shows; the pen stands at the start of the row. */
struct widget_rows {
    size_t count;
    void (*put)(const void *data, size_t row, struct pen *pen);
    const void *data;
};

/* All zeros is at the start. */
struct widget_list {
    size_t selected; /* a row */
    size_t top;      /* a place among those that pass the filter, like `height` */
    size_t height;   /* rows in sight when it was drawn last */
    struct pattern filter;
    struct {
        size_t *items; /* the rows that pass, as of the last drawing */
        size_t count, capacity;
    } passing;
};

/* Draw the rows that pass the filter, the selected one in sight and marked. */
void widget_list_draw(struct widget_list *list, const struct widget_rows *rows, struct area area);
void widget_list_release(struct widget_list *list);

/* Move by a command; return whether it was one that moves. */
bool widget_list_move(struct widget_list *list, enum screen_command command, size_t count);

/* Select what was drawn in the line `y` of the list; return whether there is a row. */
bool widget_list_select_at(struct widget_list *list, size_t y, size_t count);

/*
 * Select the next row with the pattern (`direction` 1), or the one before (-1), round the end, or
 * the first from here on (0); false: there is none.
 */
bool widget_list_find(struct widget_list *list, const struct widget_rows *rows,
                      const struct pattern *pattern, int direction);

/* Append what a row shows, as text. */
void widget_rows_add_text(const struct widget_rows *rows, size_t row, struct strbuf *out);

#endif
