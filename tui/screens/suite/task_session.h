#ifndef TUI_SCREENS_SUITE_TASK_SESSION_H
#define TUI_SCREENS_SUITE_TASK_SESSION_H

#include "core/session/worker/evaluator.h"
#include "core/suite/suite_follow.h"
#include "tui/screens/screen.h"

/* The worker's options for the sessions of an arm; texts are borrowed. */
struct evaluator_options task_session_evaluator(const struct suite_arm *arm);

/*
 * Open the session of a task on a screen above this one. While another process runs the session,
 * the screen is a replay of its events so far. If there is no session, a message says why.
 */
void task_session_open(struct screen_host *host, const struct suite_follow *follow, size_t task);

#endif
