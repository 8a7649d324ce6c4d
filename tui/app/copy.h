#ifndef TUI_APP_COPY_H
#define TUI_APP_COPY_H

#include "core/base/strbuf.h"
#include "tui/screens/chrome.h"
#include "tui/term/term.h"

/*
 * Give a text to the file `path`, or to the clipboard when `path` is empty.
 * The clipboard is tmux's inside tmux, else the terminal's (OSC 52).  A message
 * says the result.  `term` may be NULL: then only a file works.
 */
void copy_text(const struct strbuf *text, const char *path, struct term *term,
               struct chrome *chrome);

#endif
