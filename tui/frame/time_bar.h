#ifndef TUI_FRAME_TIME_BAR_H
#define TUI_FRAME_TIME_BAR_H

#include "core/session/recorded/timeline.h"
#include "tui/term/canvas.h"

/*
 * The marks of the bar's cells, which depend only on the recording and the width. All zeros: not
 * made yet.
 */
struct time_bar {
    struct time_mark *items;
    size_t count, capacity;
};

/* Free the marks; the bar is all zeros then. */
void time_bar_release(struct time_bar *bar);

/*
 * Draw a recorded session as one line, from its first event to its last, with a mark for the
 * outcome of each step and one for the current position of the replay. `bar` must belong to this
 * timeline; its marks are made again when the width changes.
 */
void time_bar_draw(struct time_bar *bar, const struct timeline *timeline, struct area area);

/* The place on the timeline (events so far) for column `x` of a bar `w` columns wide. */
size_t time_bar_place(const struct timeline *timeline, int x, int w);

#endif
