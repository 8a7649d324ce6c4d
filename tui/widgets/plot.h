#ifndef TUI_WIDGETS_PLOT_H
#define TUI_WIDGETS_PLOT_H

#include "tui/term/canvas.h"

/*
 * A diagram with logarithmic axes.  Lines are drawn with the dots of Braille characters, two across
 * and four down in each cell, or with full stops if the canvas is ASCII only.  Points are
 * characters.
 */

/* An axis from `low` to `high`, both greater than zero. */
struct plot_axis {
    double low, high;
    const char *unit;
};

struct plot {
    struct area area; /* the area between the axes */
    struct plot_axis x, y;
};

/* Draw the axes along the left and the lower edge, labelled at the powers of ten. */
struct plot plot_open(struct area area, struct plot_axis x, struct plot_axis y);

/* Draw a straight line in logarithmic coordinates, from (x, y) to (x, y): a power law. */
void plot_line(const struct plot *plot, enum role role, const double from[2], const double to[2]);

/* Draw a character at (x, y); outside the axes it is not drawn. */
void plot_point(const struct plot *plot, enum role role, const double at[2], char mark);

#endif
