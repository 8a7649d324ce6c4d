#ifndef TUI_WIDGETS_PLOT_H
#define TUI_WIDGETS_PLOT_H

#include "core/base/axis.h"
#include "tui/term/canvas.h"

/*
 * A diagram with two axes.  Lines are drawn with the dots of Braille characters, two across
 * and four down in each cell, or with full stops if the canvas is ASCII only.  Points are
 * characters.
 */

struct plot_axis {
    struct axis range;
    const char *unit; /* y: the unit of the labels; x: the name at the end of the axis */
};

struct plot {
    struct area area; /* the area between the axes */
    struct axis x, y;
};

/* Columns of the labels, left of the area between the axes; below it is a line of labels. */
enum { PLOT_LABEL_COLUMNS = 7 };

/* The rectangle between the axes of a plot that fills `area`. */
struct rect plot_inside(struct rect area);

/* Draw the ticks' labels along the left and the lower edge. */
struct plot plot_open(struct area area, struct plot_axis x, struct plot_axis y);

/*
 * Draw a straight line from `from` (x, y) to `to` (x, y). With two logarithmic axes it is a power
 * law.
 */
void plot_line(const struct plot *plot, enum role role, const double from[2], const double to[2]);

/* Draw a character at (x, y); outside the axes it is not drawn. */
void plot_point(const struct plot *plot, enum role role, const double at[2], char mark);

/* The line of the area for a height, which is 0 at the lower edge and 1 at the upper one. */
int plot_line_at(const struct plot *plot, double share);

/* The least difference of two heights that puts them on different lines. */
double plot_line_height(const struct plot *plot);

/* The cell of (x, y) between the axes; false if it is outside. */
bool plot_cell(const struct plot *plot, const double at[2], int cell[2]);

#endif
