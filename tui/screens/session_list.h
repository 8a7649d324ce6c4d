#ifndef TUI_SCREENS_SESSION_LIST_H
#define TUI_SCREENS_SESSION_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "core/session/store/catalog.h"
#include "core/system/clock.h"

/*
 * The sessions on disk, the newest first.  To list a session its whole journal
 * is read, so the caller reads one session at a time.
 */

enum session_state {
    SESSION_CLOSED,
    SESSION_OPEN,    /* not closed: it can be resumed */
    SESSION_HERE,    /* open in this process */
    SESSION_RUNNING, /* open in another process: it can be replayed */
};

struct listed_session {
    char id[CATALOG_ID_SIZE];
    char at[CLOCK_STAMP_SIZE];                    /* time of the last event */
    char *problem, *agent, *device, *forked_from; /* "": unknown */
    char *trouble;                                /* the error that ended reading; NULL: none */
    enum session_state state;
    size_t attempts;
    double best_us, best_speedup; /* 0: no candidate was kept */
    char *over; /* name of the strongest baseline, which best_speedup is over; or NULL */
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

/* Find the ids of the sessions; session_list_read() reads them. */
enum status session_list_open(struct session_list *list, struct error *err) MUST_CHECK;

/* Find the sessions anew, and read them from the first one on; on failure the list is empty. */
enum status session_list_reopen(struct session_list *list, struct error *err) MUST_CHECK;

/* Read one more session, and append it; false when none is left. */
bool session_list_read(struct session_list *list);
void session_list_release(struct session_list *list);

#endif
