#ifndef TUI_APP_COPY_H
#define TUI_APP_COPY_H

#include "core/base/strbuf.h"
#include "tui/screens/chrome.h"
#include "tui/term/term.h"

/*
 * Write a text to the file `path` or, if `path` is empty, to the clipboard: tmux's clipboard inside
 * tmux, else the terminal's (OSC 52). A message shows the result. `term` may be NULL: then only a
 * file works.
 */
void copy_text(const struct strbuf *text, const char *path, struct term *term,
               struct chrome *chrome);

#endif
