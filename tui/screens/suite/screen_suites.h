#ifndef TUI_SCREENS_SUITE_SCREEN_SUITES_H
#define TUI_SCREENS_SUITE_SCREEN_SUITES_H

#include "tui/screens/screen.h"

/*
 * The list of all suites, running or not, the newest first.  The engineer opens or resumes one of
 * them.
 */
enum status screen_suites_open(struct screen_host *host, struct error *err) MUST_CHECK;

#endif
