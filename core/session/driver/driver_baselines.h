#ifndef CORE_SESSION_DRIVER_DRIVER_BASELINES_H
#define CORE_SESSION_DRIVER_DRIVER_BASELINES_H

#include "core/session/driver/driver_state.h"
#include "core/session/state/engine.h"

/*
 * Baselines that were still being compiled when attempts were judged.  The next evaluation times
 * them beside its candidate.  When the session waits for the engineer, the latest correct attempt
 * is timed with them instead, and at the end of the session the best one, so that its verdict is
 * complete.  baselines.timed is recorded then: the attempt keeps its place on the scale, and the
 * baselines get theirs.
 */

/* The worker has compiled baselines: time them if the session waits for the engineer. */
void driver_baselines_hear_compiled(struct driver *driver);

/*
 * Before `action`: true if baselines are timed or awaited instead.  The loop comes back to the
 * action afterwards.
 */
bool driver_baselines_go_first(struct driver *driver, enum action action);

/* True while the judge works on baselines, so that its answers go to the functions below. */
bool driver_baselines_are_due(const struct driver *driver);

/* The answer of the worker: all is compiled. */
void driver_baselines_take_compiled(struct driver *driver);

/* The verdict on the attempt that was timed again. */
enum status driver_baselines_take_verdict(struct driver *driver, const struct verdict *verdict,
                                          const struct json *encoded, struct error *err) MUST_CHECK;

/* Cancel the judge's request, be it for baselines or for a candidate. */
void driver_baselines_cancel_judge(struct driver *driver);

/* The worker failed: go on without them. */
void driver_baselines_give_up(struct driver *driver, const struct error *why);

#endif
