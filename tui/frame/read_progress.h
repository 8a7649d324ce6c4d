#ifndef TUI_FRAME_READ_PROGRESS_H
#define TUI_FRAME_READ_PROGRESS_H

#include "tui/widgets/widget_text.h"

/*
 * How much of the proposed text has been on the screen. The engineer approves a text, so the screen
 * says how much of it was shown. Lines count from the first one without a gap: after a jump to the
 * end, the lines in the middle do not count as shown.
 */

/* All zeros: no text was shown. */
struct read_progress {
    unsigned step; /* the step that proposes the text */
    bool is_here;  /* the text is on the screen now */
    bool is_whole; /* all its lines were on the screen, at the same time or one after the other */
    size_t lines;  /* the number of lines */
    size_t seen;   /* how many lines, from the first without a gap, were on the screen */
    size_t cut;    /* how many lines the edge of the pane cuts now */
};

/* Call after each frame with the text of the step as it was drawn; NULL if it was not drawn. */
void read_progress_take(struct read_progress *read_progress, unsigned step,
                        const struct widget_text *text);

#endif
