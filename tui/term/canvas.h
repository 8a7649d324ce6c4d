#ifndef TUI_TERM_CANVAS_H
#define TUI_TERM_CANVAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/attr.h"
#include "core/base/strbuf.h"
#include "tui/term/glyph.h"
#include "tui/term/pattern.h"
#include "tui/term/theme.h"

/*
 * The contents of the screen as a grid of cells in memory. Everything draws into a canvas;
 * tui/term/term.c copies it to the terminal, tui/term/screenshot.c into files.
 *
 * Code draws through an area, a rectangle of the canvas with its own coordinates, and cannot reach
 * a cell outside it. Text need not be trusted: bytes that are not UTF-8 are shown as U+FFFD. A
 * character that would affect more than its own cells is shown by its code, as <U+202E>: control
 * and bidirectional characters, combining marks that follow no letter, and characters that the
 * locale cannot show.
 */

/* A cell. A character of two columns takes two cells; the second has neither width nor code. */
struct cell {
    uint32_t code;
    uint32_t marks[GLYPH_MARKS]; /* combining marks on the character; 0: no more */
    uint8_t width;
    uint8_t role;   /* an enum role, of the text */
    uint8_t ground; /* an enum role, of the background */
};

struct rect {
    int x, y, w, h;
};

/* True if the cell at (x, y) is in the rectangle. */
bool rect_has(const struct rect *rect, int x, int y);

/* A place that reacts to the mouse. `target` is a number that the code that drew it has chosen. */
struct canvas_link {
    struct rect rect;
    int target;
};

struct cursor {
    bool is_shown;
    int x, y;
};

/* All zeros is an empty canvas. */
struct canvas {
    int w, h;
    bool is_ascii; /* draw borders and marks in ASCII only */
    struct cursor cursor;
    struct cell *cells; /* w * h cells, row by row */
    struct {
        struct canvas_link *items;
        size_t count, capacity;
    } links;
};

/* Set the size, make every cell blank, and remove all links. */
void canvas_reset(struct canvas *canvas, int w, int h);

/* Free the cells; all zeros afterwards. */
void canvas_release(struct canvas *canvas);

/* Borrow a cell; `x` and `y` must be on the canvas. */
const struct cell *canvas_cell(const struct canvas *canvas, int x, int y);

/* The target of the link at a place, or -1. */
int canvas_target_at(const struct canvas *canvas, int x, int y);

/* True if both cells show the same characters in the same roles. */
bool cell_equals(const struct cell *a, const struct cell *b);

/* Append the character of a cell and its marks; the second cell of a character appends nothing. */
void cell_add_text(const struct cell *cell, struct strbuf *out);

struct area {
    struct canvas *canvas;
    struct rect rect; /* on the canvas */
};

/* An area of the canvas: `rect`, cut at the edges of the canvas. */
struct area canvas_area(struct canvas *canvas, struct rect rect);

/* An area inside `area`: `rect`, in coordinates of `area`, cut at the edges of `area`. */
struct area area_part(struct area area, struct rect rect);

/* Fill the area with blanks in a role, and remove the links that begin in it. */
void area_clear(struct area area, enum role role);

/* Set the background of the area; the text stays. */
void area_paint(struct area area, enum role ground);

/* Set the background of each match of the pattern. */
void area_mark(struct area area, const struct pattern *pattern, enum role ground);

/* Draw a horizontal line across the area. */
void area_rule(struct area area, int y);

/* Draw a border with a title along the edge; return the area inside it. */
struct area area_box(struct area area, const char *title, enum role role);

/* Write a title on the upper line of a border that is drawn already. */
void area_title(struct area area, const char *title, enum role role);

/* Make `rect`, in coordinates of the area, react to the mouse with `target`. */
void area_link(struct area area, struct rect rect, int target);

/* Show the terminal's cursor at a place in the area. A place outside the area has no effect. */
void area_set_cursor(struct area area, int x, int y);

enum { TAB_COLUMNS = 4 };

/*
 * The place of the next character, in coordinates of the area.  It may be left of the area, for
 * text that is scrolled sideways.
 */
struct pen {
    struct area area;
    int x, y;
    int origin; /* tab stops count from here */
    struct glyph_state before;
    /* the column behind the character in `before`; a pen at another column has none before it */
    int end;
};

/* A pen at a place in the area. */
struct pen area_pen(struct area area, int x, int y);

/* Write text and move the pen behind it.  Text outside the area is not drawn. */
void pen_put(struct pen *pen, enum role role, const char *text, size_t len);
void pen_puts(struct pen *pen, enum role role, const char *text);
void pen_putf(struct pen *pen, enum role role, const char *fmt, ...) PRINTF_LIKE(3, 4);

/*
 * Draw a bar that is `columns` long, with block characters that show eighths of a column, or with
 * `=` on an ASCII canvas. A bar longer than 0 is always visible.
 */
void pen_put_bar(struct pen *pen, enum role role, double columns);

/* True if the pen is right of the area, so that further text would not be visible. */
bool pen_is_past_edge(const struct pen *pen);

/* The columns that the text takes if it starts at a tab stop. */
int canvas_text_columns(const char *text, size_t len);

#endif
