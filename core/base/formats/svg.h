#ifndef CORE_BASE_FORMATS_SVG_H
#define CORE_BASE_FORMATS_SVG_H

#include "core/base/strbuf.h"

/* Writes pictures in SVG 1.1, on a white ground.  Lengths are pixels from the upper left corner. */

/* Begin a picture; the caller adds "</svg>\n" at the end. */
void svg_begin(int width, int height, struct strbuf *out);

/* Append a text, such as a title, with the characters escaped that XML would read as markup. */
void svg_add_escaped(const char *text, struct strbuf *out);

/*
 * Append a line of text. `anchor` says which part of it is placed at x: "start", "middle", "end".
 */
void svg_add_text(double x, double y, const char *anchor, const char *text, struct strbuf *out);

/* Append a line. `style` holds attributes, such as "stroke='#555'". */
void svg_add_line(const double from[2], const double to[2], const char *style, struct strbuf *out);

#endif
