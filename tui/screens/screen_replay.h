#ifndef TUI_SCREENS_SCREEN_REPLAY_H
#define TUI_SCREENS_SCREEN_REPLAY_H

#include "tui/screens/screen.h"

/*
 * A replay of a session on the panes of the workbench, played in time or step by step. A replay
 * writes nothing, unless the engineer confirms a fork, which makes a new session.
 *
 * `name` is as for recording_open(). The replay opens at the end of `step`, or at the start of the
 * session for step 0.
 */
enum status screen_replay_open(struct screen_host *host, const char *name, unsigned step,
                               struct error *err) MUST_CHECK;

#endif
