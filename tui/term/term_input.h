#ifndef TUI_TERM_TERM_INPUT_H
#define TUI_TERM_TERM_INPUT_H

#include "tui/keys/key.h"

/*
 * Decodes the terminal's input: keys, by curses; the begin and end of a paste; and the mouse.  The
 * mouse is decoded here from xterm's SGR reports (mode 1006), which all current terminals send;
 * terminfo's entries for the mouse are often out of date.
 */

enum term_input_kind {
    TERM_INPUT_KEY,
    TERM_INPUT_PASTE_BEGIN,
    TERM_INPUT_PASTE_END,
    TERM_INPUT_MOUSE
};

struct term_input {
    enum term_input_kind kind;
    struct key key; /* INPUT_NONE: a key that kforge does not use */
    struct mouse mouse;
};

/*
 * Define the sequences of pastes and of the mouse, which curses does not know. Call it once. False
 * if curses refuses them: then a paste looks like typed text.
 */
bool term_input_define(void);

/* Read a key, a mark of a paste or a mouse report; false if none is pending. */
bool term_input_read(struct term_input *input);

#endif
