#ifndef CORE_SESSION_DRIVER_DRIVER_SESSION_H
#define CORE_SESSION_DRIVER_DRIVER_SESSION_H

#include "core/session/driver/driver_options.h"
#include "core/session/driver/driver_state.h"

/*
 * Opens the session that a driver runs. A new session gets its journal only when the judge is
 * ready, because its first event names the device; a resumed session is folded from its journal at
 * once, and git refs that are missing after a crash are written.
 */

/* Read problem, reference and repository of a new session, or reopen the one to resume. */
enum status driver_open_session(struct driver *driver, const struct driver_options *options,
                                struct error *err) MUST_CHECK;

/* The judge is ready: make the journal of a new session, or apply the gate to a resumed one. */
enum status driver_begin_session(struct driver *driver, struct error *err) MUST_CHECK;

/* Close the journal and end the lease on the session. */
void driver_leave_session(struct driver *driver);

#endif
