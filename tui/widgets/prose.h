#ifndef TUI_WIDGETS_PROSE_H
#define TUI_WIDGETS_PROSE_H

#include "core/base/strbuf.h"

/*
 * Append a text in Markdown with each paragraph on one line, for a pane that breaks lines itself:
 * models break their lines where they like.  Code, headings, tables, quotes, list items and hard
 * line breaks keep their lines (CommonMark 0.31, sections 4.8 and 6.7).  A newline at the end of
 * the text stays, so that a text that streams in can be shown before its next line has begun.
 */
void prose_unfold(const char *text, size_t len, struct strbuf *out);

#endif
