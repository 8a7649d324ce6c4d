#ifndef TUI_SCREENS_SESSION_LIST_H
#define TUI_SCREENS_SESSION_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "core/session/store/catalog.h"
#include "core/system/clock.h"

/*
 * The sessions on disk, the newest first. Listing a session needs its whole journal, so the caller
 * reads one session at a time. When the sessions are read again, the list does not change until the
 * last one was read, so that rows do not move while the engineer looks at them.
 */

enum session_state {
    SESSION_CLOSED,
    SESSION_OPEN,    /* not closed, so it can be resumed */
    SESSION_HERE,    /* open in this process */
    SESSION_RUNNING, /* open in another process, so it can be replayed */
};

struct listed_session {
    char id[CATALOG_ID_SIZE];
    char at[CLOCK_STAMP_SIZE];                    /* time of the last event */
    char *problem, *agent, *device, *forked_from; /* "": unknown */
    char *trouble;                                /* the error that ended reading, or NULL */
    enum session_state state;
    size_t attempts;
    double best_us, best_speedup; /* 0: no candidate was kept */
    char *over; /* name of the strongest baseline, the base of best_speedup; or NULL */
    bool has_usd;
    double usd;
};

/* All zeros is empty. */
struct session_list {
    struct listed_session *items;
    size_t count, capacity;
    char **unread; /* ids, the oldest first */
    size_t unread_count;
    struct {
        struct listed_session *items;
        size_t count, capacity;
    } anew;       /* the sessions read again; they replace `items` when all are read */
    bool is_anew; /* sessions are being read again */
};

/* Find the ids of the sessions; session_list_read() reads them. */
enum status session_list_open(struct session_list *list, struct error *err) MUST_CHECK;

/* Find the sessions again; session_list_read() reads them. On failure the list is empty. */
enum status session_list_reopen(struct session_list *list, struct error *err) MUST_CHECK;

/* Read one more session; false when none is left. */
bool session_list_read(struct session_list *list);

/* The index of the session with an id; `count` if it is not listed. */
size_t session_list_find(const struct session_list *list, const char *id);
void session_list_release(struct session_list *list);

#endif
