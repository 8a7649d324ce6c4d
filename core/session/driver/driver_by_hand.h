#ifndef CORE_SESSION_DRIVER_DRIVER_BY_HAND_H
#define CORE_SESSION_DRIVER_DRIVER_BY_HAND_H

#include <stdbool.h>

#include "core/base/status.h"
#include "core/session/state/engine.h"

struct driver;

/*
 * The engineer works on a kernel in an editor, and each version that is saved becomes an attempt of
 * the session, with the engineer as its author. Meanwhile no agent is asked, so that the session
 * stays where it is between two saves. The judge works and steps are decided as usual.
 */

/* Begin the work by hand. Requests to agents are cancelled; a running evaluation is not. */
void driver_begin_by_hand(struct driver *driver);
/* End the work by hand: the session continues with the agents. */
void driver_end_by_hand(struct driver *driver);

/*
 * Record a version of `attempt` as an attempt of its own, which the judge then evaluates; the
 * evaluation of an earlier version is cancelled. This also decides the step that waits.
 * STATUS_UNAVAILABLE with the reason if the version cannot be taken yet: try again after the next
 * event.
 */
enum status driver_take_by_hand(struct driver *driver, unsigned attempt, const char *text,
                                struct error *err) MUST_CHECK;

/* True if the action has to wait until the engineer's work by hand ends. */
bool driver_by_hand_withholds(const struct driver *driver, enum action action);

#endif
