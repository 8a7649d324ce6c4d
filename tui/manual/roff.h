#ifndef TUI_MANUAL_ROFF_H
#define TUI_MANUAL_ROFF_H

#include "core/base/strbuf.h"

/*
 * Writes a manual page in the macros of man(7), piece by piece.  Text may hold
 * any characters: roff's requests and escapes are escaped, and hyphens are
 * written so that a reader can copy them.
 */

/* Begin the page `name` of a section of the manual: "KFORGE", 1. */
void roff_begin(struct strbuf *page, const char *name, int section);

/* Headings.  The title is not escaped. */
void roff_section(struct strbuf *page, const char *title);
void roff_subsection(struct strbuf *page, const char *title);

/* Text, in which `code` between backquotes is bold. */
void roff_paragraph(struct strbuf *page, const char *text);

/* A term in bold, and its explanation indented below. */
void roff_item(struct strbuf *page, const char *term, const char *text);

/* Text that keeps its line breaks. */
void roff_code(struct strbuf *page, const char *text);

/* Sections of Markdown: headings, paragraphs, lists, indented code; each row of a table as an item.
 */
void roff_markdown(struct strbuf *page, const char *text);

#endif
