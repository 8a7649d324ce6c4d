#ifndef CORE_SESSION_STORE_TEXT_REFS_H
#define CORE_SESSION_STORE_TEXT_REFS_H

#include "core/session/state/event.h"
#include "core/session/state/session.h"
#include "core/session/store/history.h"

/*
 * Keeps the texts of a session from git's garbage collection.  Git removes blobs that no ref
 * leads to, and most texts (prompts, vetoed replies, recommendations) are in no candidate's commit.
 * So they are committed under refs/kforge/<session>/texts, in batches: each commit holds the texts
 * that are new, named by event, and its ancestors hold the older ones.
 */

/* A text that an event names. */
struct text_ref {
    uint64_t seq;  /* number of the event */
    char name[48]; /* name of the file in the commit, such as "000012-model.reply" */
    char id[OBJECT_ID_SIZE];
};

/* The texts of a session that no commit is known to hold.  All zeros is empty. */
struct text_refs {
    struct {
        struct text_ref *items;
        size_t count, capacity;
    } texts;
    /* the texts that an earlier process committed have been dropped from `texts` */
    bool is_looked_up;
};

/* Add the text that a recorded event names, if it names one. */
void text_refs_add(struct text_refs *text_refs, const struct event *event);

/* Commit the texts that were added since the last commit; makes no commit if there are none. */
enum status text_refs_commit(struct text_refs *text_refs, struct history *history,
                             const struct session *session, struct error *err) MUST_CHECK;
/* Free the contents and leave it empty. */
void text_refs_release(struct text_refs *text_refs);

#endif
