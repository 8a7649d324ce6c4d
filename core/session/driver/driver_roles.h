#ifndef CORE_SESSION_DRIVER_DRIVER_ROLES_H
#define CORE_SESSION_DRIVER_DRIVER_ROLES_H

#include "core/session/driver/driver_state.h"

/* The agents of a session: opened for the role that each has, with the prices of their models. */

/* Set the agents by their names, which are copied. */
void driver_set_roles(struct driver *driver, const char *first, const struct roles *roles);

/*
 * Open each agent once, so that one that is not there or cannot work on the problem is told of
 * before the session begins, and find the prices.  A budget in $ is refused if one is unknown.
 */
enum status driver_open_agents(struct driver *driver, struct error *err) MUST_CHECK;

/* Let driver->asked[slot] be the agent with a name, which is one of the session. */
enum status driver_take_agent(struct driver *driver, unsigned slot, const char *name,
                              struct error *err) MUST_CHECK;

/* The tokens that all models take that may get the prompt of a task; 0 if unknown. */
unsigned driver_context(const struct driver *driver, enum agent_task task);

#endif
