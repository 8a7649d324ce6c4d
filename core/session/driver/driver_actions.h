#ifndef CORE_SESSION_DRIVER_DRIVER_ACTIONS_H
#define CORE_SESSION_DRIVER_DRIVER_ACTIONS_H

#include "core/session/driver/driver_state.h"
#include "core/session/state/engine.h"

/* Perform an action of the engine.  Returns while an agent, the judge or the engineer is at work.
 */
enum status driver_act(struct driver *driver, enum action action, struct error *err) MUST_CHECK;

#endif
