#ifndef TUI_TERM_TERM_INPUT_H
#define TUI_TERM_TERM_INPUT_H

#include "tui/keys/key.h"

/*
 * What the terminal sends, one thing at a time: keys as curses decodes them,
 * the ends of a paste, and the mouse (xterm's SGR reports, mode 1006, which
 * every terminal of today has; what terminfo says of the mouse is often older).
 */

enum term_input_kind {
    TERM_INPUT_KEY,
    TERM_INPUT_PASTE_BEGIN,
    TERM_INPUT_PASTE_END,
    TERM_INPUT_MOUSE
};

struct term_input {
    enum term_input_kind kind;
    struct key key; /* INPUT_NONE for what nobody uses */
    struct mouse mouse;
};

/* Have curses know what it has no names for. */
void term_input_define(void);

/* Read one thing.  False when there is no more. */
bool term_input_read(struct term_input *input);

#endif
