#ifndef TUI_PANELS_PROFILE_TRAJECTORY_PLOT_H
#define TUI_PANELS_PROFILE_TRAJECTORY_PLOT_H

#include "core/session/state/trajectory_chart.h"
#include "tui/term/canvas.h"

/*
 * Draw the chart of a trajectory: marks for attempts, lines with names for levels, and steps for
 * the best speed so far.  The column of the attempt `cursor` is highlighted; 0 if none is.
 */
void trajectory_plot_draw(const struct trajectory_chart *chart, unsigned cursor, struct area area);

/*
 * The attempt whose mark is nearest to a place in an area that trajectory_plot_draw() was given, in
 * the area's coordinates; 0: the place is not in the plot, or there is no attempt.
 */
unsigned trajectory_plot_attempt_at(const struct trajectory_chart *chart, struct area area, int x,
                                    int y);

/* Draw the marks that occur, with their meaning, in one line. */
void trajectory_plot_draw_legend(const struct trajectory *trajectory, struct area area);

#endif
