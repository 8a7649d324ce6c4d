#ifndef TUI_PANELS_PROFILE_ROOFLINE_PLOT_H
#define TUI_PANELS_PROFILE_ROOFLINE_PLOT_H

#include "tui/panels/view_model.h"
#include "tui/term/canvas.h"

/*
 * The roofline (Williams, Waterman, Patterson, CACM 52(4), 2009): operations per second over
 * operations per byte.  The roofs were measured on the device; below them are the candidate in view
 * and its ancestors.
 */

/* True if the candidate in view has a time and its device has measured roofs. */
bool roofline_plot_is_known(const struct view_model *view_model);

/* Draw the plot; call only if roofline_plot_is_known(). */
void roofline_plot_draw(const struct view_model *view_model, struct area area);

#endif
