#ifndef TUI_SCREENS_SUITE_INBOX_LIST_H
#define TUI_SCREENS_SUITE_INBOX_LIST_H

#include "core/suite/suite_overview.h"
#include "tui/term/canvas.h"

/* The waiting decisions of all suites, sorted by what they could gain. */

struct inbox_item {
    const struct listed_suite *suite; /* borrowed; valid until the suites change */
    const struct session *session;
    const struct task_facts *facts;
    size_t task;
};

/* All zeros is empty. */
struct inbox_list {
    struct inbox_item *items;
    size_t count, capacity;
};

/* Collect the items again. */
void inbox_list_read(struct inbox_list *list, const struct suite_overview *overview);

/* The index of the item of a session; `count` if none of its steps waits. */
size_t inbox_list_find(const struct inbox_list *list, const char *session);

/* The id of an item's session. */
const char *inbox_list_session(const struct inbox_item *item);

/* Draw the titles of the columns, or the row of an item. */
void inbox_list_put_titles(struct pen *pen);
void inbox_list_put(const struct inbox_item *item, struct pen *pen);

#endif
