#ifndef TUI_OFFER_H
#define TUI_OFFER_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/status.h"
#include "core/session/catalog.h"

/*
 * What there is to begin with: problems, those that ship and those in the
 * working folder, and the sessions that there have been.  Reading a session
 * means reading its journal, so that they come one at a time.
 */

struct offered_problem {
    char *path, *name, *summary;
    char *dims;          /* "M=512 N=1024" */
    double best_speedup; /* over the reference, in any session that was read; 0: none kept one */
};

struct offered_session {
    char id[CATALOG_ID_SIZE];
    char *problem, *agent, *device; /* "" where the journal does not say */
    char *trouble;                  /* why it could not be read; NULL: it was */
    size_t attempts;
    double best_us, best_speedup; /* 0: nothing was kept */
    bool is_closed;
};

/* All zeros is empty. */
struct offer {
    struct {
        struct offered_problem *items;
        size_t count, capacity;
    } problems;
    struct {
        struct offered_session *items; /* the newest first */
        size_t count, capacity;
    } sessions;
    char **ids; /* of the sessions that were not read yet, the oldest first */
    size_t id_count;
};

/* Read the problems, and find the sessions. */
void offer_open(struct offer *offer);
void offer_release(struct offer *offer);

/* Read one session more; false when there is none. */
bool offer_read_session(struct offer *offer);

#endif
