#ifndef TUI_TERM_SCREENSHOT_H
#define TUI_TERM_SCREENSHOT_H

#include "core/base/status.h"
#include "core/base/strbuf.h"
#include "tui/term/canvas.h"

/*
 * Writes a canvas as text or as a picture.  Golden tests, the screenshots of the documents and the
 * :screen command use it.
 */

/* Append plain text, one line for each row, without trailing blanks. */
void screenshot_text(const struct canvas *canvas, struct strbuf *out);

/*
 * Append text with escape sequences (ECMA-48 SGR) in 256 colours, or without colours if NO_COLOR is
 * set.
 */
void screenshot_ansi(const struct canvas *canvas, const struct theme *theme, struct strbuf *out);

/* Append a picture (SVG 1.1) in 24-bit colours on a dark background. */
void screenshot_svg(const struct canvas *canvas, const struct theme *theme, struct strbuf *out);

/* Write a file; the ending of its name chooses the format: .txt, .ansi or .svg. */
enum status screenshot_write(const char *path, const struct canvas *canvas,
                             const struct theme *theme, struct error *err) MUST_CHECK;

#endif
