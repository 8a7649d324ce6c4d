#ifndef CORE_SESSION_STATE_EVENT_CHECK_H
#define CORE_SESSION_STATE_EVENT_CHECK_H

#include "core/session/state/session.h"

/*
 * Whether an event fits the state of a session: a journal that was tampered
 * with, or a driver that is wrong, is noticed before anything changes.
 */

/* Read the members of the event, if it fits; else STATUS_INVALID, which says what was expected. */
enum status event_check_read(const struct session *session, const struct event *event,
                             union event_data *data, struct error *err) MUST_CHECK;

#endif
