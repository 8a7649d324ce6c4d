#ifndef TUI_WIDGET_LIST_H
#define TUI_WIDGET_LIST_H

#include "tui/canvas.h"
#include "tui/keymap.h"

/* A list of rows, one of them selected, that scrolls so that the selected row is in sight. */

/* What a list shows; the pen stands at the start of the row. */
struct widget_rows {
    size_t count;
    void (*put)(const void *data, size_t row, struct pen *pen);
    const void *data;
};

/* All zeros is at the start. */
struct widget_list {
    size_t selected;
    size_t top;
    size_t height; /* rows in sight when it was drawn last */
};

void widget_list_draw(struct widget_list *list, const struct widget_rows *rows, struct area area);

/* Move by a command; return whether it was one that moves. */
bool widget_list_move(struct widget_list *list, enum screen_command command, size_t count);

#endif
