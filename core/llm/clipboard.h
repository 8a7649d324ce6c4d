#ifndef CORE_LLM_CLIPBOARD_H
#define CORE_LLM_CLIPBOARD_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Put text on the clipboard of whoever sits at the terminal, also over ssh:
 * the escape sequence OSC 52 (xterm control sequences, "Operating System
 * Commands") on the controlling terminal.  It moves no cursor, so a screen
 * that is up stays as it is.  False where there is no terminal or the text is
 * longer than terminals take; whether a terminal obeys cannot be known.
 */
bool clipboard_copy(const char *text, size_t len);

#endif
