#ifndef CORE_SESSION_STATE_FOLD_H
#define CORE_SESSION_STATE_FOLD_H

#include "core/session/state/event.h"
#include "core/session/state/session.h"

/*
 * The fold of events into the state of a session.  fold_apply() is the only function that changes
 * the state, so a state is always what its journal says.
 */

/* Check that the event could be applied now.  The driver checks before it writes the journal. */
enum status fold_check(const struct session *session, const struct event *event,
                       struct error *err) MUST_CHECK;

/* Apply one event.  STATUS_INVALID if it does not fit, as in a journal that was edited. */
enum status fold_apply(struct session *session, const struct event *event,
                       struct error *err) MUST_CHECK;

#endif
