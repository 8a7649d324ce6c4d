#ifndef CORE_SESSION_DRIVER_DRIVER_PROPOSE_H
#define CORE_SESSION_DRIVER_DRIVER_PROPOSE_H

#include "core/session/driver/driver_state.h"

/* Proposes steps: each function records one step.proposed, on which the gate then decides. */

/* A prompt, rendered from the present state. */
enum status driver_propose_prompt(struct driver *driver, struct error *err) MUST_CHECK;

/* The oldest waiting reply, as the candidate of a new attempt. */
enum status driver_propose_candidate(struct driver *driver, struct error *err) MUST_CHECK;

/* To keep the current attempt. */
enum status driver_propose_keep(struct driver *driver, struct error *err) MUST_CHECK;

/* The reply of an analysis. */
enum status driver_propose_recommendation(struct driver *driver, struct error *err) MUST_CHECK;

#endif
