#ifndef CORE_SESSION_DRIVER_DRIVER_H
#define CORE_SESSION_DRIVER_DRIVER_H

#include "core/session/driver/driver_engineer.h"
#include "core/session/driver/driver_listener.h"
#include "core/session/driver/driver_options.h"
#include "core/session/state/session.h"

struct loop;

/*
 * Runs a session: performs the actions that the engine asks for.  It asks the agents and the judge,
 * applies the gate, writes the journal and commits kept candidates.  The screen, the command line
 * and the tests are listeners of the same driver; the engineer acts through driver_engineer.h.
 */
struct driver;

/*
 * Check the problem, the agent and the repository, start the judge, and return; the loop does
 * everything else.  A new session exists from the moment the judge is ready.  A listener may call
 * every function of the driver but driver_close().
 */
enum status driver_open(struct loop *loop, const struct driver_options *options,
                        const struct driver_listener *listener, struct driver **driver,
                        struct error *err) MUST_CHECK;
void driver_close(struct driver *driver);

/* Run the session, or continue it after driver_pause(). */
void driver_run(struct driver *driver);

/* Stop before the next action; the action under way is finished. */
void driver_pause(struct driver *driver);
bool driver_is_paused(const struct driver *driver);

/*
 * The state to show, borrowed. The session changes only when an event is recorded; struct
 * driver_live also changes in between.
 */
const struct session *driver_session(const struct driver *driver);
const struct driver_live *driver_live(const struct driver *driver);

/* The session's device; NULL until the judge has loaded the problem. */
const struct device_info *driver_device(const struct driver *driver);

/* The libraries that the judge computes with, as evaluator_libraries(). */
const char *driver_libraries(const struct driver *driver);

/* Append the text of a blob that the session or an event names, e.g. attempt->candidate. */
enum status driver_text(const struct driver *driver, const char *id, struct strbuf *out,
                        struct error *err) MUST_CHECK;

/* True if the session can be resumed: its journal is in place, and it is not closed. */
bool driver_can_resume(const struct driver *driver);

/* The session's branch, "kforge/<problem>/<session>"; NULL before the session exists. */
const char *driver_branch(struct driver *driver);

/* The path of the repository that holds the branch. */
const char *driver_repository(const struct driver *driver);

#endif
