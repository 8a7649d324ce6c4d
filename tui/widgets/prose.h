#ifndef TUI_WIDGETS_PROSE_H
#define TUI_WIDGETS_PROSE_H

#include "core/base/strbuf.h"

/*
 * Append a text in Markdown with each paragraph on one line, for a pane that breaks lines itself,
 * because models break lines at any width. Code, headings, tables, quotes, list items and hard line
 * breaks keep their lines (CommonMark 0.31, sections 4.8 and 6.7). A newline at the end of the text
 * is kept, because the next line of a text that streams in is not known yet.
 */
void prose_unfold(const char *text, size_t len, struct strbuf *out);

#endif
