#ifndef CORE_SESSION_DRIVER_DRIVER_ENGINEER_H
#define CORE_SESSION_DRIVER_DRIVER_ENGINEER_H

#include "core/base/status.h"
#include "core/session/state/gate.h"

struct driver;

/*
 * The engineer's part in a running session. Each function records an event, and the loop continues
 * from the new state; a function that is called before the session exists fails with
 * STATUS_INVALID.
 */

/* Decide on the pending step; STATUS_INVALID if another step or none is pending. */
enum status driver_decide(struct driver *driver, const struct ruling *ruling,
                          struct error *err) MUST_CHECK;

/*
 * Undo the engineer's last decision: its step waits for a decision again.  Redo makes the decision
 * hold again, unless another one was made since.  Both work at any time, cancel the work under way,
 * and move the session's branch.  No commit is lost.
 */
enum status driver_undo(struct driver *driver, struct error *err) MUST_CHECK;
enum status driver_redo(struct driver *driver, struct error *err) MUST_CHECK;

/*
 * Give the reply that the agent `manual` waits for: a text that the engineer pasted.
 * STATUS_INVALID if no agent waits for one.
 */
enum status driver_answer(struct driver *driver, const char *text, struct error *err) MUST_CHECK;

/* Add a note, which the next prompt shows to the agent. */
enum status driver_say(struct driver *driver, const char *text, struct error *err) MUST_CHECK;

/* Give an attempt a tag; "" removes it. */
enum status driver_tag(struct driver *driver, unsigned attempt, const char *tag,
                       struct error *err) MUST_CHECK;

/* Check a file for driver_attach(), without attaching it: STATUS_OK if it can be attached. */
enum status driver_check_attachment(const char *path, struct error *err) MUST_CHECK;

/* Attach a file to the next analysis: a text or an image. */
enum status driver_attach(struct driver *driver, const char *path, struct error *err) MUST_CHECK;

/* Set who decides on a kind of step, from the pending step on. */
enum status driver_set_policy(struct driver *driver, enum step_kind kind, enum gate_mode mode,
                              struct error *err) MUST_CHECK;

/*
 * From the next prompt on, ask the agents for kernels in `language`; that prompt has the best
 * kernel as a reference to port. STATUS_INVALID if the device does not take the language.
 */
enum status driver_set_language(struct driver *driver, const char *language,
                                struct error *err) MUST_CHECK;

/*
 * Let policies decide on every step until a limit is reached or driver_end_run() is called.  The
 * step after that waits for the engineer.
 */
enum status driver_run_on(struct driver *driver, const struct run_limits *limits,
                          struct error *err) MUST_CHECK;
enum status driver_end_run(struct driver *driver, struct error *err) MUST_CHECK;

/* Cancel the work under way and pause.  Everything recorded stays. */
void driver_interrupt(struct driver *driver);

/* Cancel the work under way and close the session for good. */
enum status driver_close_session(struct driver *driver, struct error *err) MUST_CHECK;

#endif
