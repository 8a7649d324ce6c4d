#ifndef CORE_BASE_SVG_H
#define CORE_BASE_SVG_H

#include "core/base/strbuf.h"

/* Writes pictures in SVG 1.1, on a white ground.  Lengths are pixels from the upper left corner. */

/* Begin a picture; the caller adds "</svg>\n" at the end. */
void svg_begin(int width, int height, struct strbuf *out);

/* Append a text of the picture, such as a title, without what it could mean as markup. */
void svg_add_escaped(const char *text, struct strbuf *out);

/* Append a line of text; `anchor`, "start", "middle" or "end", is the part of it that is at x. */
void svg_add_text(double x, double y, const char *anchor, const char *text, struct strbuf *out);

/* Append a line; `style` has attributes: "stroke='#555'". */
void svg_add_line(const double from[2], const double to[2], const char *style, struct strbuf *out);

#endif
