#ifndef CORE_SESSION_STORE_TEXT_REFS_H
#define CORE_SESSION_STORE_TEXT_REFS_H

#include "core/session/state/event.h"
#include "core/session/state/session.h"
#include "core/session/store/history.h"

/*
 * Git collects what nothing refers to, and most texts of a session (prompts,
 * vetoed replies, advice) are in no candidate's commit.  They are committed
 * under refs/kforge/<session>/texts, some events' at a time: each commit
 * holds the new ones, named by event, and its ancestors hold the others.
 */
struct text_ref {
    uint64_t seq;
    char name[48]; /* "000012-model.reply" */
    char id[OBJECT_ID_SIZE];
};

/* All zeros is an text_refs to which no event has been added. */
struct text_refs {
    struct {
        struct text_ref *items;
        size_t count, capacity;
    } texts; /* not known to be committed */
    bool is_looked_up;
};

/* Remember the text that a recorded event names, if any. */
void text_refs_add(struct text_refs *text_refs, const struct event *event);

/* Commit what has been added and is not committed; makes nothing where there is nothing. */
enum status text_refs_commit(struct text_refs *text_refs, struct history *history,
                             const struct session *session, struct error *err) MUST_CHECK;
void text_refs_release(struct text_refs *text_refs);

#endif
