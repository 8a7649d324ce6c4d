#ifndef TUI_TERM_CLIPBOARD_H
#define TUI_TERM_CLIPBOARD_H

#include <stddef.h>

#include "core/base/status.h"

/* Give the bytes to the tmux that we run in, which knows whether its terminal can copy. */
enum status clipboard_give_tmux(const char *bytes, size_t len, struct error *err) MUST_CHECK;

#endif
