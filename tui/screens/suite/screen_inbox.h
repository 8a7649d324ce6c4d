#ifndef TUI_SCREENS_SUITE_SCREEN_INBOX_H
#define TUI_SCREENS_SUITE_SCREEN_INBOX_H

#include "tui/screens/screen.h"

/*
 * The inbox: all decisions that wait in suites, in the order of what they could gain, and below
 * them the panes of the selected one's session.  A decision is handed to the session as a file
 * (handed_decision.h); the process of the suite lets the session go on with it.
 */
enum status screen_inbox_open(struct screen_host *host, struct error *err) MUST_CHECK;

#endif
