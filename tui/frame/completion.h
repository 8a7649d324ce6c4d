#ifndef TUI_FRAME_COMPLETION_H
#define TUI_FRAME_COMPLETION_H

#include "core/base/strbuf.h"

/*
 * Completions for the prompt (the callback in struct prompt_line_options): append the completions
 * of the last word of `line`, each ended by a newline, and return the offset at which that word
 * begins.
 */

/* Complete the name of a command or its argument. */
size_t completion_of_command(const char *line, struct strbuf *words);

/* Complete a limit of a run, at which the policy stops deciding: "failure", "3", "$0.50". */
size_t completion_of_run(const char *line, struct strbuf *words);

#endif
