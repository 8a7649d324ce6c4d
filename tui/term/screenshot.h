#ifndef TUI_TERM_SCREENSHOT_H
#define TUI_TERM_SCREENSHOT_H

#include "core/base/status.h"
#include "core/base/strbuf.h"
#include "tui/term/canvas.h"

/* A canvas as a file: what golden tests compare and what screenshots are made of. */

/* Append plain text, a line a row, without the blanks at the ends of lines. */
void screenshot_text(const struct canvas *canvas, struct strbuf *out);

/* Append text with the terminal's escape sequences (ECMA-48 SGR), in 256 colours, or none with
 * NO_COLOR. */
void screenshot_ansi(const struct canvas *canvas, const struct theme *theme, struct strbuf *out);

/* Append a picture (SVG 1.1), in 24-bit colours on a dark ground. */
void screenshot_svg(const struct canvas *canvas, const struct theme *theme, struct strbuf *out);

/* Write a file, in the form that its name ends in: .txt, .ansi or .svg. */
enum status screenshot_write(const char *path, const struct canvas *canvas,
                             const struct theme *theme, struct error *err) MUST_CHECK;

#endif
