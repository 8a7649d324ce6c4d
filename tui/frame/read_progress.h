#ifndef TUI_FRAME_READ_PROGRESS_H
#define TUI_FRAME_READ_PROGRESS_H

#include "tui/widgets/widget_text.h"

/*
 * How much of the text that waits for a decision the engineer has had before
 * the eyes: what is approved can be shown in full, and the screen says how
 * much of it was.  Lines count from the first one on without a gap, so that a
 * jump to the end has not shown the middle.
 */

/* All zeros: nothing was seen of anything. */
struct read_progress {
    unsigned step; /* whose text it is */
    bool is_here;  /* it is on the screen now */
    bool is_whole; /* all of it was */
    size_t lines;  /* there are so many, and so many of them were seen */
    size_t seen;
    size_t cut; /* lines that the edge of the pane cuts off, now */
};

/* After a frame: `text` is the text of the step as it was drawn; NULL: it is not on the screen. */
void read_progress_take(struct read_progress *read_progress, unsigned step,
                        const struct widget_text *text);

#endif
