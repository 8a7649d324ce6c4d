#ifndef CORE_SESSION_DRIVER_DRIVER_ROLES_H
#define CORE_SESSION_DRIVER_DRIVER_ROLES_H

#include "core/session/driver/driver_state.h"

/* Opens the agents of a session for their roles, and finds the prices of their models. */

/* Set the agents by their names, which are copied. */
void driver_set_roles(struct driver *driver, const char *first, const struct roles *roles);

/*
 * Open each agent once, so that an agent that is missing or cannot work on the problem is reported
 * before the session begins, and find the prices. If there is a budget in $ and a price is unknown,
 * the error says so.
 */
enum status driver_open_agents(struct driver *driver, struct error *err) MUST_CHECK;

/* Open the agent `name`, one of the session's, in driver->asked[slot]. */
enum status driver_take_agent(struct driver *driver, unsigned slot, const char *name,
                              struct error *err) MUST_CHECK;

/*
 * The smallest context, in tokens, of the models that may get the prompt of a task; 0 if unknown.
 */
unsigned driver_context(const struct driver *driver, enum agent_task task);

#endif
