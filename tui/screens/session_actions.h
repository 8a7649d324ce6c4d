#ifndef TUI_SCREENS_SESSION_ACTIONS_H
#define TUI_SCREENS_SESSION_ACTIONS_H

#include "core/session/recorded/recording.h"
#include "tui/screens/screen.h"

/* Actions on a session that several screens offer: fork it, and export its best kernel. */

/* Ask for the agent of a fork at the step in view; `prompt` gets the answer. */
void session_actions_ask_for_fork(struct screen_host *host, const struct screen_prompt *prompt,
                                  void *data, const struct view_model *view_model);

/*
 * Make a session that shares the steps of `parent` before `step`, and open it. It gets the gate of
 * the command line, because the parent may have run without an engineer.
 */
enum status session_actions_fork(struct screen_host *host, const struct recording *parent,
                                 unsigned step, const char *agent, struct error *err) MUST_CHECK;

/* Fork the session with an id, from its journal on disk; a failure is shown as a message. */
void session_actions_fork_by_id(struct screen_host *host, const char *id, unsigned step,
                                const char *agent);

/*
 * Call `prompt` to export the screen's session to the folder; if `folder` is "", ask for it first.
 */
void session_actions_export_or_ask(struct screen *screen, const struct screen_prompt *prompt,
                                   const char *folder);

/* Write the best kernel of a session into a new folder; the result is shown as a message. */
void session_actions_export(struct screen_host *host, const char *id, const char *folder);

/*
 * Show the picture of a profiler's window with the attempt in view: `kforge picture` gets the
 * terminal until Enter is pressed. If there is no picture, a message says so.
 */
void session_actions_show_picture(struct screen_host *host, const struct view_model *view_model);

#endif
