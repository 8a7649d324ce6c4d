#ifndef BACKENDS_INBOX_H
#define BACKENDS_INBOX_H

#include <stdbool.h>

#include "core/system/lines.h"

/*
 * The worker's queue of requests, lines of JSON on its standard input.  While one request is served
 * the others wait, except "cancel", which ends the current one.  All zeros is an empty inbox.
 */
struct inbox {
    struct lines lines;
    struct {
        char **items;
        size_t count, capacity;
    } waiting;
    bool is_busy; /* a request is being served; set by the caller */
    bool is_over; /* the input has ended, or the reader of the answers is gone */
};

/*
 * Read the lines that have arrived, and wait if there are none.  True if the current request shall
 * end: it was cancelled, or the input is over.
 */
bool inbox_take(struct inbox *inbox);

/* True if no request waits and no input is there to be read. */
bool inbox_is_idle(struct inbox *inbox);

/* True if a request has been read and waits to be served. */
bool inbox_has_request(const struct inbox *inbox);

/* Wait for the next request, which the caller frees.  NULL if there will be none. */
char *inbox_next(struct inbox *inbox);

/* True if the request that inbox_next() returned was cancelled while it waited in the queue. */
bool inbox_was_cancelled(const struct inbox *inbox);

/* Free the requests that wait. */
void inbox_release(struct inbox *inbox);

#endif
