#ifndef CORE_SESSION_STATE_EVENT_CHECK_H
#define CORE_SESSION_STATE_EVENT_CHECK_H

#include "core/session/state/event.h"
#include "core/session/state/session.h"

/*
 * Checks that an event is allowed in the present state of a session. This finds an edited journal
 * or a faulty driver before the state changes.
 *
 * Decodes the event into `data`, which borrows its texts. STATUS_INVALID if the event does not fit;
 * the error says what was expected.
 */
enum status event_check_read(const struct session *session, const struct event *event,
                             union event_data *data, struct error *err) MUST_CHECK;

#endif
