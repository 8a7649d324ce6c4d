#ifndef TUI_PANELS_ROOFLINE_PLOT_H
#define TUI_PANELS_ROOFLINE_PLOT_H

#include "tui/panels/view_model.h"
#include "tui/term/canvas.h"

/*
 * The roofline (Williams, Waterman, Patterson, CACM 52(4), 2009): how many
 * operations a second the device allows for each operation per byte, by the
 * roofs that were measured on it, and below them the candidate in view and
 * those that it comes from.
 */

/* Whether there is anything to draw. */
bool roofline_plot_is_known(const struct view_model *view_model);

/* Draw it; call where roofline_plot_is_known(). */
void roofline_plot_draw(const struct view_model *view_model, struct area area);

#endif
