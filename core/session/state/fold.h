#ifndef CORE_SESSION_STATE_FOLD_H
#define CORE_SESSION_STATE_FOLD_H

#include "core/session/state/event.h"
#include "core/session/state/session.h"

/* Whether the event could be applied now: for whoever is about to write it into the journal. */
enum status fold_check(const struct session *session, const struct event *event,
                       struct error *err) MUST_CHECK;

/* Apply one event. STATUS_INVALID when it does not fit: a journal that was tampered with. */
enum status fold_apply(struct session *session, const struct event *event,
                       struct error *err) MUST_CHECK;

#endif
