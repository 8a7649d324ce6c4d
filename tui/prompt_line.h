#ifndef TUI_PROMPT_LINE_H
#define TUI_PROMPT_LINE_H

#include "core/base/strbuf.h"
#include "tui/canvas.h"
#include "tui/key.h"

/*
 * One line of input with the usual editing keys.  It is driven by key
 * presses and draws itself, so that whatever edits the line behind it stays
 * behind it.
 */

/* All zeros is an empty line. */
struct prompt_line {
    struct strbuf text; /* UTF-8 */
    size_t at;          /* the cursor, a byte of the text */
};

enum prompt_line_state {
    PROMPT_LINE_EDITING,
    PROMPT_LINE_ENTERED, /* the text is what the user wants to say */
    PROMPT_LINE_LEFT,    /* the user wants none of it: Escape, Ctrl-C, Ctrl-G */
};

enum prompt_line_state prompt_line_key(struct prompt_line *line, struct key key);

/* Insert text as it was pasted; it never ends the line. */
void prompt_line_insert(struct prompt_line *line, const char *text, size_t len);

/* Draw `label` and the part of the line around the cursor, with the cursor. */
void prompt_line_draw(const struct prompt_line *line, const char *label, struct area area);

void prompt_line_release(struct prompt_line *line);

#endif
