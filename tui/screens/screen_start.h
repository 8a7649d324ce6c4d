#ifndef TUI_SCREENS_SCREEN_START_H
#define TUI_SCREENS_SCREEN_START_H

#include "tui/screens/screen.h"

/*
 * The first screen: choose a problem, a device, an agent and a policy, or a
 * session to resume.  Every choice has a default, so Enter alone starts.
 */
void screen_start_open(struct screen_host *host);

#endif
