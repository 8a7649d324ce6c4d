#ifndef TUI_WIDGETS_PROMPT_LINE_H
#define TUI_WIDGETS_PROMPT_LINE_H

#include "core/base/strbuf.h"
#include "tui/keys/key.h"
#include "tui/term/canvas.h"

/*
 * One line of input that the user edits with libedit: Emacs or vi keys, history, incremental search
 * and whatever else ~/.editrc sets. The caller hands in key presses and draws the line; libedit
 * reads and writes a pseudo-terminal of its own, never the user's terminal.
 *
 * el_wgets() of libedit returns only with the whole line, and some of its commands (Ctrl-R, Ctrl-V,
 * vi's f) read further keys before they return. It therefore runs in a separate thread, which runs
 * only while prompt_line_key() waits for it.
 */
struct prompt_line;

struct prompt_line_options {
    const char *history; /* the name of a file in kforge's state folder; NULL: no history is kept */

    /*
     * Append to `words` all completions of the last word of `line`, each ended by a newline, and
     * return the offset in bytes at which that word begins.  NULL: Tab does nothing.
     */
    size_t (*complete)(const char *line, struct strbuf *words);
};

enum prompt_line_state {
    PROMPT_LINE_EDITING,
    PROMPT_LINE_ENTERED, /* Enter was pressed: the text is the user's answer */
    PROMPT_LINE_LEFT,    /* the user gave up: Escape, Ctrl-C, Ctrl-G, or Ctrl-D on an empty line */
};

/* Open an empty line and read its history; the caller frees it with prompt_line_free(). */
struct prompt_line *prompt_line_new(const struct prompt_line_options *options);
void prompt_line_free(struct prompt_line *line);

/* Append the library's name and version. */
void prompt_line_add_version(struct strbuf *out);

/*
 * Edit with a key; return whether the line is still being edited.  After ENTERED or LEFT the line
 * may only be read and freed.
 */
enum prompt_line_state prompt_line_key(struct prompt_line *line, struct key key);

/* Insert pasted text at the cursor.  Newlines and control characters become blanks. */
void prompt_line_insert(struct prompt_line *line, const char *text, size_t len);

/* The line in UTF-8; valid until the next call. */
const char *prompt_line_text(const struct prompt_line *line);

/*
 * The completions if the last Tab found several, each ended by a newline. Empty if Tab found a
 * single one, and after any other key.
 */
const char *prompt_line_words(const struct prompt_line *line);

/* Draw `label` and the part of the line around the cursor, and place the cursor. */
void prompt_line_draw(const struct prompt_line *line, const char *label, struct area area);

#endif
