#ifndef CORE_SESSION_DRIVER_DRIVER_BASELINES_H
#define CORE_SESSION_DRIVER_DRIVER_BASELINES_H

#include "core/session/driver/driver_state.h"
#include "core/session/state/engine.h"

/*
 * Times baselines that were still being compiled when attempts were judged. The next evaluation
 * times them together with its candidate. If the session waits for the engineer instead, the latest
 * correct attempt is timed with them, and at the end of the session the best one, so that its
 * verdict is complete. This is recorded as baselines.timed: the attempt keeps its place on the
 * scale, and the baselines get one. A session that leaves baselines ends without those that are
 * still being compiled.
 */

/* The worker has compiled baselines: time them if the session waits for the engineer. */
void driver_baselines_note_compiled(struct driver *driver);

/*
 * Called before `action`: if baselines are to be timed or awaited first, start that and return
 * true. The engine is asked for the action again afterwards.
 */
bool driver_baselines_go_first(struct driver *driver, enum action action);

/* True while the judge works on baselines, so that its answers go to the functions below. */
bool driver_baselines_are_due(const struct driver *driver);

/* Take the worker's answer that all baselines are compiled. */
void driver_baselines_take_compiled(struct driver *driver);

/* Take the verdict on the attempt that was timed again. */
enum status driver_baselines_take_verdict(struct driver *driver, const struct verdict *verdict,
                                          const struct json *encoded, struct error *err) MUST_CHECK;

/* Cancel the judge's request, which may be about baselines or a candidate. */
void driver_baselines_cancel_judge(struct driver *driver);

/* The worker failed: continue without these baselines. `why` becomes a notice. */
void driver_baselines_give_up(struct driver *driver, const struct error *why);

#endif
