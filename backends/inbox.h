#ifndef BACKENDS_INBOX_H
#define BACKENDS_INBOX_H

#include <stdbool.h>

#include "core/system/lines.h"

/*
 * Requests to the worker, a line each on its standard input.  While one is
 * served the others wait, all but a "cancel", which ends what is served.  All
 * zeros is an inbox that nothing has come into.
 */
struct inbox {
    struct lines lines;
    struct {
        char **items;
        size_t count, capacity;
    } waiting;
    bool is_busy; /* a request is being served: the user's to say */
    bool is_over; /* nobody listens any more */
};

/* Take what has come, or wait for it. True: what is being served is to end. */
bool inbox_take(struct inbox *inbox);

/* Whether nothing waits, and nothing has come. */
bool inbox_is_idle(struct inbox *inbox);

/* The next request, waited for and to be freed; NULL when there will be none. */
char *inbox_next(struct inbox *inbox);

/* Whether the request that inbox_next() gave was cancelled while it waited. */
bool inbox_was_cancelled(const struct inbox *inbox);

void inbox_release(struct inbox *inbox);

#endif
