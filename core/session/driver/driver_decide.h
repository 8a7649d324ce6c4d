#ifndef CORE_SESSION_DRIVER_DRIVER_DECIDE_H
#define CORE_SESSION_DRIVER_DRIVER_DECIDE_H

#include "core/session/driver/driver_state.h"

/* Decides on the pending step, and records all decisions, including the engineer's. */

/*
 * Apply the first rule that matches the pending step.  Without a rule the gate says who decides:
 * the policy at once, or the engineer, for whom the step waits until driver_decide().
 */
enum status driver_apply_gate(struct driver *driver, struct error *err) MUST_CHECK;

/* Record a decision on the pending step. */
enum status driver_record_ruling(struct driver *driver, enum decider by,
                                 const struct ruling *ruling, struct error *err) MUST_CHECK;

#endif
