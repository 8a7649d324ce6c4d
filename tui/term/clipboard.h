#ifndef TUI_TERM_CLIPBOARD_H
#define TUI_TERM_CLIPBOARD_H

#include "core/base/status.h"
#include "core/base/strbuf.h"

/* Append the terminal's own command to copy (xterm's OSC 52), with the bytes in base64. */
void clipboard_add_osc52(const char *bytes, size_t len, struct strbuf *out);

/* Give the bytes to the tmux that we run in, which knows whether its terminal can copy. */
enum status clipboard_give_tmux(const char *bytes, size_t len, struct error *err) MUST_CHECK;

#endif
