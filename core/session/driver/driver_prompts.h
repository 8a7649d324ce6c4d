#ifndef CORE_SESSION_DRIVER_DRIVER_PROMPTS_H
#define CORE_SESSION_DRIVER_DRIVER_PROMPTS_H

#include "core/session/driver/driver_state.h"

/*
 * Renders prompts, sends them to the agents, and records the replies as they arrive. Several agents
 * may answer one prompt at the same time. If one fails, the replies of the others are still
 * recorded, because they are paid for. Then the driver ends.
 */

/* Append the prompt for a task at the present state of the session. */
enum status driver_render_prompt(struct driver *driver, enum agent_task task, struct strbuf *prompt,
                                 struct error *err) MUST_CHECK;

/* Send the accepted prompt to as many agents as the round needs.  Returns before they reply. */
enum status driver_generate(struct driver *driver, struct error *err) MUST_CHECK;

/* Ask the agent for an analysis of the best candidate.  Returns before the reply. */
enum status driver_analyse(struct driver *driver, struct error *err) MUST_CHECK;

/* Cancel all busy agents; their replies are dropped. */
void driver_cancel_agents(struct driver *driver);

#endif
