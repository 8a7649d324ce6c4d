#ifndef TUI_FRAME_READ_NOTE_H
#define TUI_FRAME_READ_NOTE_H

#include "tui/frame/read_progress.h"
#include "tui/keys/keymap.h"
#include "tui/term/canvas.h"

/*
 * The note next to the keys of a decision: how much of the proposed text was on the screen, and the
 * key that shows the rest. A press of the mouse on the note does what that key does.
 */
struct read_note {
    const struct read_progress *progress;
    int pane;        /* the number of the pane that shows the text */
    bool is_focused; /* true if that pane has the focus */
    bool is_alone;   /* no other pane is on the screen */
};

/*
 * Write the note at the right end of a line, in the longest form that leaves `needed` columns, or
 * else in the shortest form. Return the number of columns that are left.
 */
int read_note_put(const struct read_note *note, const struct keymap *keymap, int needed,
                  struct area line);

#endif
