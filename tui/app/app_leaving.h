#ifndef TUI_APP_APP_LEAVING_H
#define TUI_APP_APP_LEAVING_H

#include "tui/app/app_state.h"

/*
 * The ways back: from a screen to the one below it, and out of the program.  Both are commands,
 * without an argument.
 */

/* Go back a screen; leave the last one, at the second call in two seconds if its session is open.
 */
void app_leaving_quit(struct app *app, const char *argument);

/* The same, but never leave the program or a session that is open. */
void app_leaving_back(struct app *app, const char *argument);

#endif
