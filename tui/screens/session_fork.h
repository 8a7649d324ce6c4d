#ifndef TUI_SCREENS_SESSION_FORK_H
#define TUI_SCREENS_SESSION_FORK_H

#include "core/session/recorded/recording.h"
#include "tui/screens/screen.h"

/* Forking a session from a screen: ask for the agent, then open the fork in place of all screens.
 */

/* Ask for the agent that decides the step in view anew; `prompt` gets the answer. */
void session_fork_ask(struct screen_host *host, const struct screen_prompt *prompt, void *data,
                      const struct view_model *view_model);

/*
 * Make a session that shares the steps of `parent` before `step`, and open it.  The gate is the one
 * given on the command line, because the parent may have run without an engineer.
 */
enum status session_fork_open(struct screen_host *host, const struct recording *parent,
                              unsigned step, const char *agent, struct error *err) MUST_CHECK;

#endif
