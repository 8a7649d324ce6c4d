#ifndef TUI_SCREENS_SUITE_TASK_SESSION_H
#define TUI_SCREENS_SUITE_TASK_SESSION_H

#include "core/session/worker/evaluator.h"
#include "core/suite/suite_follow.h"
#include "tui/screens/screen.h"

/* The options of the judge for the sessions of an arm; texts are borrowed. */
struct evaluator_options task_session_evaluator(const struct suite_arm *arm);

/*
 * Open the session of a task above the screen: as it is, or as a replay so far while a process runs
 * it.  A message tells why there is none.
 */
void task_session_open(struct screen_host *host, const struct suite_follow *follow, size_t task);

#endif
