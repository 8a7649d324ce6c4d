#ifndef TUI_PAGE_H
#define TUI_PAGE_H

#include "tui/widget_text.h"

/*
 * A text that is written anew whenever it is drawn, line by line, each in a
 * role; where it is scrolled stays.
 */

struct page_line {
    size_t start, len; /* in the page's text */
    enum role role;
};

/* All zeros is an empty page. */
struct page {
    struct strbuf text;
    struct {
        struct page_line *items;
        size_t count, capacity;
    } lines;
    int columns; /* of a text that grows; 0: it is none */
    struct widget_text view;
};

/* Begin writing: nothing is on the page. */
void page_clear(struct page *page);
void page_add(struct page *page, enum role role, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* Add text, broken at blanks so that its lines fit in `columns`. */
void page_add_wrapped(struct page *page, enum role role, const char *text, int columns);

/*
 * Write a text and nothing else, broken like that.  Where it begins with the text that was written
 * so before, only what is new is looked at: for a reply as it streams in.
 */
void page_grow(struct page *page, const struct strbuf *text, int columns);

void page_draw(struct page *page, struct area area);
void page_release(struct page *page);

#endif
