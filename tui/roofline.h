#ifndef TUI_ROOFLINE_H
#define TUI_ROOFLINE_H

#include "tui/canvas.h"
#include "tui/scene.h"

/*
 * The roofline (Williams, Waterman, Patterson, CACM 52(4), 2009): how many
 * operations a second the device allows for each operation per byte, by the
 * roofs that were measured on it, and below them the candidate in view and
 * those that it comes from.
 */

/* Whether there is anything to draw. */
bool roofline_is_known(const struct scene *scene);

/* Draw it; call where roofline_is_known(). */
void roofline_draw(const struct scene *scene, struct area area);

#endif
