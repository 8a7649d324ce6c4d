#ifndef TUI_FRAME_TIME_BAR_H
#define TUI_FRAME_TIME_BAR_H

#include "core/session/recorded/timeline.h"
#include "tui/term/canvas.h"

/*
 * A session from its first event to its last as one line: a mark for each
 * step, by what came of it, and the place that is shown.
 */
void time_bar_draw(const struct timeline *timeline, struct area area);

/* The place that a column of a bar of this width stands for. */
size_t time_bar_place(const struct timeline *timeline, int x, int w);

#endif
