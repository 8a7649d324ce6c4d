#ifndef CORE_SESSION_RECORDED_REWIND_H
#define CORE_SESSION_RECORDED_REWIND_H

#include "core/base/strbuf.h"
#include "core/session/state/session.h"

/*
 * The difference between two states of a session, which leads from one to the other and back.
 * Events can only be applied forwards, so a replay that goes back needs earlier states.  A
 * difference is much smaller than a state, because most of a state stays as it is for hundreds of
 * events.
 */
struct rewind {
    struct session other; /* the state it leads to: counts of its lists, but no items */
    struct strbuf items;  /* values that changed items have there: by list, index and bytes */
};

/*
 * Make `session`, all zeros or a state before `later`, equal to `later`, whose texts it shares.
 * Returns the difference back, which the caller releases.
 */
struct rewind rewind_follow(struct session *session, const struct session *later) MUST_CHECK;

/*
 * Go to the other state; the difference then leads back.  `session` must be in the state in which
 * rewind_follow() or the last call with this difference left it.
 */
void rewind_go(struct rewind *between, struct session *session);

/* Make `session`, all zeros or any state of the same session, equal to `from`; they share texts. */
void rewind_copy(struct session *session, const struct session *from);

/* Free the contents and leave it empty. */
void rewind_release(struct rewind *back);

#endif
