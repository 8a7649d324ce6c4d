#ifndef TUI_WIDGETS_PLOT_H
#define TUI_WIDGETS_PLOT_H

#include "tui/term/canvas.h"

/*
 * A diagram with logarithmic axes.  Lines are drawn in the dots of Braille
 * characters, two across and four down in each cell, or in full stops where
 * there is ASCII only; points are characters.
 */

/* From `low` to `high`, both above zero. */
struct plot_axis {
    double low, high;
    const char *unit;
};

struct plot {
    struct area area; /* inside the axes */
    struct plot_axis x, y;
};

/* Draw the axes with their decades along the left and the lower edge. */
struct plot plot_open(struct area area, struct plot_axis x, struct plot_axis y);

/* A straight line, as it is between logarithms: a power law. */
void plot_line(const struct plot *plot, enum role role, const double from[2], const double to[2]);

/* A character at a place; outside the axes it is not drawn. */
void plot_point(const struct plot *plot, enum role role, const double at[2], char mark);

#endif
