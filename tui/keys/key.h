#ifndef TUI_KEYS_KEY_H
#define TUI_KEYS_KEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/strbuf.h"

/*
 * A key press, and its name in key tables: "a", "C-d" (with Control), "M-x" (with Alt), "Enter",
 * "S-Tab" (with Shift), "PageDown".  Also an action of the mouse.
 */

enum input {
    INPUT_NONE,
    INPUT_TEXT, /* a character, in `code` */
    INPUT_ENTER,
    INPUT_TAB,
    INPUT_ESCAPE,
    INPUT_BACKSPACE,
    INPUT_DELETE,
    INPUT_UP,
    INPUT_DOWN,
    INPUT_LEFT,
    INPUT_RIGHT,
    INPUT_HOME,
    INPUT_END,
    INPUT_PAGE_UP,
    INPUT_PAGE_DOWN,
};

enum { KEY_MOD_CTRL = 1, KEY_MOD_ALT = 2, KEY_MOD_SHIFT = 4 };

struct key {
    enum input input;
    uint32_t code;      /* for INPUT_TEXT: a code point; with Control, a lower-case letter */
    unsigned modifiers; /* KEY_MOD_ bits; Shift is set for named keys only */
};

enum mouse_action { MOUSE_NOTHING, MOUSE_PRESSED, MOUSE_WHEEL_UP, MOUSE_WHEEL_DOWN };

struct mouse {
    enum mouse_action action;
    int x, y; /* the cell of the screen, from 0 */
};

/* True if both are the same key with the same modifiers. */
bool key_equals(struct key a, struct key b);

/* The key with the name in the first `len` bytes; INPUT_NONE if the name is unknown. */
struct key key_parse(const char *name, size_t len);

/* Append the name of a key, as key_parse() reads it. */
void key_format(struct key key, struct strbuf *out);

#endif
