#ifndef TUI_WIDGETS_SPARKLINE_H
#define TUI_WIDGETS_SPARKLINE_H

#include "tui/term/canvas.h"

/*
 * A curve of a few columns: the best time after each attempt, in us, 0 before the first that was
 * kept.  Heights are logarithmic, from the first time to the last one, which is the lowest.
 */

/* The first time that is known; 0 if there is none. */
double sparkline_first(const double *best_us, size_t count);

/*
 * Put the curve into at most so many columns, two attempts in each; one where the canvas is ASCII
 * only.  If there are too many attempts, several share a place, which shows the last of them.
 */
void sparkline_put(const double *best_us, size_t count, int columns, enum role role,
                   struct pen *pen);

#endif
