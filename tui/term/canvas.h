#ifndef TUI_TERM_CANVAS_H
#define TUI_TERM_CANVAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/attr.h"
#include "tui/term/pattern.h"
#include "tui/term/theme.h"

/*
 * What the screen shows, as a grid of cells in memory.  Everything draws
 * here; tui/term/term.c copies it to the terminal, tui/term/screenshot.c into files.
 *
 * Drawing goes through an area, a rectangle of the canvas with coordinates
 * of its own, and nothing drawn through it reaches a cell outside.  Text may
 * come from anywhere and say anything: bytes that are not UTF-8 are shown as
 * U+FFFD, and a character that would do more than fill its own cells (control
 * and bidirectional characters, combining marks, what the locale cannot
 * show) as <U+202E>.
 */

/* A character of two columns takes two cells; the second has no width and no code. */
struct cell {
    uint32_t code;
    uint8_t width;
    uint8_t role;   /* an enum role: the text */
    uint8_t ground; /* an enum role: what is painted behind it */
};

struct rect {
    int x, y, w, h;
};

struct cursor {
    bool is_shown;
    int x, y;
};

/* All zeros is an empty canvas. */
struct canvas {
    int w, h;
    bool is_ascii; /* borders and marks from ASCII only */
    struct cursor cursor;
    struct cell *cells; /* row by row */
};

/* Set the size, and make every cell blank. */
void canvas_reset(struct canvas *canvas, int w, int h);
/* Free the cells; all zeros afterwards. */
void canvas_release(struct canvas *canvas);

/* The cell at a place on the canvas. */
const struct cell *canvas_cell(const struct canvas *canvas, int x, int y);
/* Whether both show the same in the same roles. */
bool cell_equals(const struct cell *a, const struct cell *b);

struct area {
    struct canvas *canvas;
    struct rect rect; /* on the canvas */
};

/* The part of the canvas inside `rect`. */
struct area canvas_area(struct canvas *canvas, struct rect rect);

/* The part of `area` inside `rect`, whose coordinates are those of `area`. */
struct area area_part(struct area area, struct rect rect);

/* Make every cell a blank in the role. */
void area_clear(struct area area, enum role role);

/* Change what is behind the text that is there. */
void area_paint(struct area area, enum role ground);

/* Change what is behind the text wherever the pattern is. */
void area_mark(struct area area, const struct pattern *pattern, enum role ground);

/* Draw a line across the area. */
void area_rule(struct area area, int y);

/* Draw a border with a title along the edge; return what is inside. */
struct area area_box(struct area area, const char *title, enum role role);

/* Put the terminal's cursor at a place in the area. */
void area_set_cursor(struct area area, int x, int y);

enum { TAB_COLUMNS = 4 };

/* Where the next character goes: left of the area's edge too, for text that is scrolled sideways.
 */
struct pen {
    struct area area;
    int x, y;
    int origin; /* tab stops count from here */
};

/* A pen at a place in the area. */
struct pen area_pen(struct area area, int x, int y);
/* Write text and move on behind it; what is outside the area is not drawn. */
void pen_put(struct pen *pen, enum role role, const char *text, size_t len);
void pen_puts(struct pen *pen, enum role role, const char *text);
void pen_putf(struct pen *pen, enum role role, const char *fmt, ...) PRINTF_LIKE(3, 4);
/* Whether nothing more that is written in this line would be seen. */
bool pen_is_past_edge(const struct pen *pen);

/* The columns that the text takes, from a tab stop on. */
int canvas_text_columns(const char *text, size_t len);

#endif
