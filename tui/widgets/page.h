#ifndef TUI_WIDGETS_PAGE_H
#define TUI_WIDGETS_PAGE_H

#include "tui/widgets/widget_text.h"

/*
 * A text that its owner writes again for each frame, line by line, each line in a role. The scroll
 * position is kept.
 */

struct page_line {
    size_t start, len; /* bytes in the page's text */
    enum role role;
    bool is_place, is_heading; /* this and the next as in struct text_line */
    int bar;
};

/* All zeros is an empty page. */
struct page {
    struct strbuf text;
    struct {
        struct page_line *items;
        size_t count, capacity;
    } lines;
    int columns; /* columns of page_grow(); 0 if other functions wrote the page */
    struct widget_text view;
    unsigned about; /* the argument of the last page_begin() */
};

/* Remove all lines and begin writing. */
void page_clear(struct page *page);

/* Begin a page about the step or attempt `about`; if that has changed, scroll to the start. */
void page_begin(struct page *page, unsigned about);

/* Append a line, which is not wrapped. */
void page_add(struct page *page, enum role role, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* Append a blank line and a heading, at which the key `o` stops. */
void page_add_heading(struct page *page, const char *text);

/* Append a line at which the keys `]` and `[` stop. */
void page_add_place(struct page *page, enum role role, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* Append a blank and a bar of `columns` to the last line. */
void page_append_bar(struct page *page, int columns);

/* Append text, broken at blanks so that its lines fit in `columns`. */
void page_add_wrapped(struct page *page, enum role role, const char *text, int columns);

/* The columns for a name with a text: the text begins at `indent`, or after a longer name. */
struct page_room {
    int indent, columns;
};

/*
 * Append a name, and a text beside it. The lines into which the text is broken begin at the same
 * column, if there is room for that.
 */
void page_add_named(struct page *page, enum role role, const char *name, const char *text,
                    struct page_room room);

/*
 * Replace the page by a text, broken as by page_add_wrapped(). If the text only got longer since
 * the last call, as a reply that streams in, only its new part is broken again.
 */
void page_grow(struct page *page, const struct strbuf *text, int columns);

/* Draw the page from its scroll position on. */
void page_draw(struct page *page, struct area area);
void page_release(struct page *page);

#endif
