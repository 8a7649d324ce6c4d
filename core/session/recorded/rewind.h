#ifndef CORE_SESSION_RECORDED_REWIND_H
#define CORE_SESSION_RECORDED_REWIND_H

#include "core/base/strbuf.h"
#include "core/session/state/session.h"

/*
 * The way back from a state of a session to one before it.  Events are only
 * ever applied forwards; but most of a state is as it was a hundred events
 * earlier, so what differs is little, and a long session can keep many ways
 * back where it could not keep many states.
 */
struct rewind {
    struct session before; /* with the counts of its lists, and without their items */
    struct strbuf items;   /* those that differ: list after list, place and bytes */
};

/*
 * `session`, all zeros or a state before `later`, becomes as that is, and
 * shares its texts.  Returns the way back, for rewind_release().
 */
struct rewind rewind_follow(struct session *session, const struct session *later) MUST_CHECK;

/* `session` is in the state from which the way leads back. */
void rewind_go(const struct rewind *back, struct session *session);

void rewind_release(struct rewind *back);

#endif
