#ifndef TUI_WIDGETS_SPARKLINE_H
#define TUI_WIDGETS_SPARKLINE_H

#include "tui/term/canvas.h"

/*
 * A curve of a few columns that shows the best time after each attempt. `best_us` has these times
 * in microseconds, 0 before the first kept attempt. Heights are logarithmic, from the first time to
 * the last, which is the lowest.
 */

/* The first time that is known; 0 if there is none. */
double sparkline_first(const double *best_us, size_t count);

/*
 * Put the curve into at most `columns` columns. A column shows two attempts, or one on an ASCII
 * canvas. If there are too many attempts, several share a place, which shows the last of them.
 */
void sparkline_put(const double *best_us, size_t count, int columns, enum role role,
                   struct pen *pen);

#endif
