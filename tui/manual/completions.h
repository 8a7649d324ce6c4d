#ifndef TUI_MANUAL_COMPLETIONS_H
#define TUI_MANUAL_COMPLETIONS_H

#include "core/base/strbuf.h"

/* The completion scripts of three shells, from the table of commands and their options. */
void completions_add_bash(struct strbuf *out);
void completions_add_zsh(struct strbuf *out);
void completions_add_fish(struct strbuf *out);

#endif
