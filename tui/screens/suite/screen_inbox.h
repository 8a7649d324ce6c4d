#ifndef TUI_SCREENS_SUITE_SCREEN_INBOX_H
#define TUI_SCREENS_SUITE_SCREEN_INBOX_H

#include "tui/screens/screen.h"

/*
 * The inbox: all waiting decisions of all suites, sorted by what they could gain, and below the
 * list the panes of the selected session.  A decision is handed to the session as a file
 * (handed_decision.h); then the suite's process resumes the session.
 */
enum status screen_inbox_open(struct screen_host *host, struct error *err) MUST_CHECK;

#endif
