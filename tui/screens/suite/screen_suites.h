#ifndef TUI_SCREENS_SUITE_SCREEN_SUITES_H
#define TUI_SCREENS_SUITE_SCREEN_SUITES_H

#include "tui/screens/screen.h"

/* The list of all suites, the newest first, running or not: open one of them, or let it go on. */
enum status screen_suites_open(struct screen_host *host, struct error *err) MUST_CHECK;

#endif
