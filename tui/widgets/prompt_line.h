#ifndef TUI_WIDGETS_PROMPT_LINE_H
#define TUI_WIDGETS_PROMPT_LINE_H

#include "core/base/strbuf.h"
#include "tui/keys/key.h"
#include "tui/term/canvas.h"

/*
 * One line of input, edited by libedit: Emacs or vi keys, history, and
 * whatever else the user's ~/.editrc says.  It is driven by key presses and
 * draws itself; libedit sees no terminal of the user's.
 *
 * libedit reads its keys one by one from inside a function that returns with
 * the whole line; that function runs in a coroutine, which waits for the
 * next key while the rest of the program goes on.
 */
struct prompt_line;

struct prompt_line_options {
    const char *history; /* a file in kforge's state folder; NULL: none is kept */

    /*
     * Append to `words` what the word that ends `line` may become, each ended
     * by a newline, and return where that word begins.  NULL: Tab does nothing.
     */
    size_t (*complete)(const char *line, struct strbuf *words);
};

enum prompt_line_state {
    PROMPT_LINE_EDITING,
    PROMPT_LINE_ENTERED, /* the text is what the user wants to say */
    PROMPT_LINE_LEFT,    /* the user wants none of it: Escape, Ctrl-C, Ctrl-G */
};

/* An empty line with its history read; freed by prompt_line_free(). */
struct prompt_line *prompt_line_new(const struct prompt_line_options *options);
void prompt_line_free(struct prompt_line *line);

/* Append the library's name and version. */
void prompt_line_add_version(struct strbuf *out);

/* Take a key, and say whether the line goes on.  After the end it is only read and freed. */
enum prompt_line_state prompt_line_key(struct prompt_line *line, struct key key);

/* Insert text as it was pasted; it never ends the line. */
void prompt_line_insert(struct prompt_line *line, const char *text, size_t len);

/* UTF-8; valid until the next call. */
const char *prompt_line_text(const struct prompt_line *line);

/* What the last Tab left open, each word ended by a newline; empty after any other key. */
const char *prompt_line_words(const struct prompt_line *line);

/* Draw `label` and the part of the line around the cursor, with the cursor. */
void prompt_line_draw(const struct prompt_line *line, const char *label, struct area area);

#endif
