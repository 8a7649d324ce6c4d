#ifndef TUI_SCREENS_SESSION_LIST_H
#define TUI_SCREENS_SESSION_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "core/session/store/catalog.h"
#include "core/system/clock.h"

/*
 * The sessions that there have been, the newest first.  Reading one means
 * reading its journal, so that they come one at a time.
 */

enum session_state {
    SESSION_CLOSED,
    SESSION_OPEN,    /* it can be gone on with */
    SESSION_HERE,    /* this process has it */
    SESSION_RUNNING, /* another process has it: it can be looked at */
};

struct listed_session {
    char id[CATALOG_ID_SIZE];
    char at[CLOCK_STAMP_SIZE];                    /* of its last event */
    char *problem, *agent, *device, *forked_from; /* "" where the journal does not say */
    char *trouble;                                /* why it could not be read; NULL: it was */
    enum session_state state;
    size_t attempts;
    double best_us, best_speedup; /* 0: nothing was kept */
    bool has_usd;
    double usd;
};

/* All zeros is empty. */
struct session_list {
    struct listed_session *items;
    size_t count, capacity;
    char **unread; /* ids, the oldest first */
    size_t unread_count;
};

/* Find the sessions; none of them is read. */
enum status session_list_open(struct session_list *list, struct error *err) MUST_CHECK;

/* Read one more; false when there is none. */
bool session_list_read(struct session_list *list);
void session_list_release(struct session_list *list);

#endif
