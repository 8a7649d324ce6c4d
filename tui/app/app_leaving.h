#ifndef TUI_APP_APP_LEAVING_H
#define TUI_APP_APP_LEAVING_H

#include "tui/app/app_state.h"

/*
 * The ways back: from a screen to the one below it, and out of the program.  Commands have the
 * argument "".
 */

/*
 * Go back to the screen below; from the last one, leave the program.  A session that is open is
 * left at the second call in two seconds.
 */
void app_leaving_quit(struct app *app, const char *argument);

/* Return to the previous screen, but first end a search or a filter; never leave the program. */
void app_leaving_back(struct app *app, const char *argument);

/*
 * Count an interrupt. Returns false for a first one, which the screen handles. One that follows
 * within two seconds after another is handled here: the second offers to leave the program, the
 * third leaves it.
 */
bool app_leaving_interrupt(struct app *app);

#endif
