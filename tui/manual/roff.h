#ifndef TUI_MANUAL_ROFF_H
#define TUI_MANUAL_ROFF_H

#include "core/base/strbuf.h"

/*
 * A manual page in the macros of man(7), written piece by piece.  Text may
 * hold anything: what roff would take for a request or an escape is shown as
 * it is, and hyphens can be copied.
 */

/* Begin the page of `name`, e.g. "kforge", in a section of the manual. */
void roff_begin(struct strbuf *page, const char *name, int section);

/* Headings; nothing is changed about the title. */
void roff_section(struct strbuf *page, const char *title);
void roff_subsection(struct strbuf *page, const char *title);

/* Text, in which `code` between backquotes is bold. */
void roff_paragraph(struct strbuf *page, const char *text);

/* A bold term, and what it means below it. */
void roff_item(struct strbuf *page, const char *term, const char *text);

/* Lines that keep their breaks. */
void roff_code(struct strbuf *page, const char *text);

/* Sections of Markdown: headings, paragraphs, lists, indented code; each row of a table as an item.
 */
void roff_markdown(struct strbuf *page, const char *text);

#endif
