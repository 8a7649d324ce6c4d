#ifndef CORE_SESSION_ANCHOR_H
#define CORE_SESSION_ANCHOR_H

#include "core/session/session.h"

/*
 * Git collects what nothing refers to, and most texts of a session (prompts,
 * vetoed replies, advice) are in no candidate's commit.  They are committed
 * under refs/kforge/<session>/texts, some events' at a time: each commit
 * holds the new ones, named by event, and its ancestors hold the others.
 */
struct anchor_text {
    uint64_t seq;
    char name[48]; /* "000012-model.reply" */
    char id[HISTORY_ID_SIZE];
};

/* All zeros is an anchor to which no event has been added. */
struct anchor {
    struct {
        struct anchor_text *items;
        size_t count, capacity;
    } texts; /* not known to be committed */
    bool is_looked_up;
};

/* Remember the text that a recorded event names, if any. */
void anchor_add(struct anchor *anchor, const struct event *event);

/* Commit what has been added and is not committed; makes nothing where there is nothing. */
enum status anchor_commit(struct anchor *anchor, struct history *history,
                          const struct session *session, struct error *err) MUST_CHECK;
void anchor_release(struct anchor *anchor);

#endif
