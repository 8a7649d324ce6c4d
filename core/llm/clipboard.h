#ifndef CORE_LLM_CLIPBOARD_H
#define CORE_LLM_CLIPBOARD_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Copy the text to the engineer's clipboard: write OSC 52 (core/base/osc52.h)
 * to the controlling terminal.  The sequence moves no cursor, so the screen
 * stays as it is.  False if there is no terminal, or if the text is longer
 * than terminals accept.  True does not mean that the terminal obeyed.
 */
bool clipboard_copy(const char *text, size_t len);

#endif
