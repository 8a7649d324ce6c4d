#ifndef CORE_SESSION_RECORDED_REWIND_H
#define CORE_SESSION_RECORDED_REWIND_H

#include "core/base/strbuf.h"
#include "core/session/state/session.h"

/*
 * The difference that leads from a state of a session back to an earlier one.  Events can only be
 * applied forwards, so a replay that goes back needs earlier states.  A difference is much smaller
 * than a state, because most of a state stays as it is for hundreds of events.
 */
struct rewind {
    struct session before; /* the earlier state: counts of its lists, but no items */
    struct strbuf items;   /* earlier values of changed items: by list, index and bytes */
};

/*
 * Make `session`, all zeros or a state before `later`, equal to `later`, whose texts it shares.
 * Returns the difference back, which the caller releases.
 */
struct rewind rewind_follow(struct session *session, const struct session *later) MUST_CHECK;

/* Go back: `session` must be in the state in which rewind_follow() left it. */
void rewind_go(const struct rewind *back, struct session *session);

/* Free the contents and leave it empty. */
void rewind_release(struct rewind *back);

#endif
