#ifndef TUI_FRAME_COMPLETION_H
#define TUI_FRAME_COMPLETION_H

#include "core/base/strbuf.h"

/* Completion of command lines, for prompt_line_new(): names of commands, and their arguments. */
size_t completion_of_command(const char *line, struct strbuf *words);

/* Of what ends a run. */
size_t completion_of_run(const char *line, struct strbuf *words);

#endif
