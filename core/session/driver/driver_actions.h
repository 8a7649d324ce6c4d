#ifndef CORE_SESSION_DRIVER_DRIVER_ACTIONS_H
#define CORE_SESSION_DRIVER_DRIVER_ACTIONS_H

#include "core/session/driver/driver_state.h"
#include "core/session/state/engine.h"

/*
 * Start an action of the engine. It does not wait for an agent, the judge or the engineer: their
 * results arrive later, as calls from the loop.
 */
enum status driver_act(struct driver *driver, enum action action, struct error *err) MUST_CHECK;

#endif
