#ifndef TUI_WIDGETS_PAGE_H
#define TUI_WIDGETS_PAGE_H

#include "tui/widgets/widget_text.h"

/*
 * A text that is written anew whenever it is drawn, line by line, each in a
 * role; where it is scrolled stays.
 */

struct page_line {
    size_t start, len; /* in the page's text */
    enum role role;
    bool is_place, is_heading;
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
    unsigned about; /* what it was about when it was written last */
};

/* Begin writing: nothing is on the page. */
void page_clear(struct page *page);

/* The same, for a page about a step or an attempt: about another, it is read from its start. */
void page_begin(struct page *page, unsigned about);

/* Append a line, which stays one line however long it is. */
void page_add(struct page *page, enum role role, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* Add a line that the `o` key goes to, below a blank one, or one that `]` and `[` go to. */
void page_add_heading(struct page *page, const char *text);
void page_add_place(struct page *page, enum role role, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* Append a blank and a bar to the last line. */
void page_append_bar(struct page *page, int columns);

/* Add text, broken at blanks so that its lines fit in `columns`. */
void page_add_wrapped(struct page *page, enum role role, const char *text, int columns);

/*
 * Write a text and nothing else, broken like that.  Where it begins with the text that was written
 * so before, only what is new is looked at: for a reply as it streams in.
 */
void page_grow(struct page *page, const struct strbuf *text, int columns);

/* Show the lines from where the page is scrolled to. */
void page_draw(struct page *page, struct area area);
void page_release(struct page *page);

#endif
