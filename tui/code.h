#ifndef TUI_CODE_H
#define TUI_CODE_H

#include "tui/canvas.h"

/*
 * Syntax colours for OpenCL C (and the C in it), a line at a time: enough of
 * a lexer to tell words, numbers, strings, comments and directives apart.
 * The state at the start of a line is all that a line needs of those before.
 */

/* All zeros is the start of a file. */
enum code_state { CODE_PLAIN, CODE_COMMENT, CODE_DIRECTIVE };

/* The state at the start of the next line; lines come without their newline. */
enum code_state code_next_line(enum code_state state, const char *line, size_t len);

/* Write the line with the pen. */
void code_put_line(struct pen *pen, enum code_state state, const char *line, size_t len);

/*
 * The first token of the `len` > 0 bytes at `text`: return how many bytes it
 * takes and say which role it has.  `state` moves on.
 */
size_t code_token(enum code_state *state, const char *text, size_t len, enum role *role);

#endif
