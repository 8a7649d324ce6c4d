#ifndef CORE_SESSION_FIT_H
#define CORE_SESSION_FIT_H

#include "core/session/session.h"

/*
 * Whether an event fits the state of a session: a journal that was tampered
 * with, or a driver that is wrong, is noticed before anything changes.
 */

/* Read the members of the event, if it fits; else STATUS_INVALID, which says what was expected. */
enum status fit_read(const struct session *session, const struct event *event,
                     union event_data *data, struct error *err) MUST_CHECK;

#endif
