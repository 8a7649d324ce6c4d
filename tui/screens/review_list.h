#ifndef TUI_SCREENS_REVIEW_LIST_H
#define TUI_SCREENS_REVIEW_LIST_H

#include "core/session/recorded/review.h"
#include "tui/term/canvas.h"

/* The rows of the list of recommendations: their order and their columns. */

enum review_order {
    REVIEW_BY_LATEST,
    REVIEW_BY_PROMISED,
    REVIEW_BY_GAINED,
    REVIEW_BY_KEPT, /* gained speedup over promised speedup */
    REVIEW_ORDERS,
};

/* "latest first", ... */
extern const char *const review_order_names[REVIEW_ORDERS];

/* Sort the rows. Among equal rows, the latest is first. */
void review_list_sort(const struct review *review, enum review_order order,
                      struct review_rows *rows);

/* The titles of the columns, and the row of an item. */
void review_list_put_heading(struct pen *pen);
void review_list_put(const struct review_item *item, struct pen *pen);

/*
 * Draw two lines below the list: the totals of the rows, and the totals of each tag that passes the
 * filter.
 */
void review_list_draw_totals(const struct review *review, const struct review_rows *rows,
                             const struct review_filter *filter, struct area area);

/*
 * The next value of a filter that the engineer switches: the line after `value`, the first line for
 * NULL, or NULL after the last line. The caller frees it.
 */
char *review_list_value_after(const char *lines, const char *value);

/* The places of the parts on a screen. A part that has no room is empty. */
struct review_places {
    struct rect header, list, item, totals, message, keys;
};

/* Lay out a screen of w columns and h lines. */
struct review_places review_list_places(int w, int h);

#endif
