#ifndef TUI_SCREENS_SCREEN_SESSIONS_H
#define TUI_SCREENS_SCREEN_SESSIONS_H

#include "tui/screens/screen.h"

/* The list of all sessions: resume, replay, fork, export or review one of them. */
enum status screen_sessions_open(struct screen_host *host, struct error *err) MUST_CHECK;

#endif
