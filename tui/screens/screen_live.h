#ifndef TUI_SCREENS_SCREEN_LIVE_H
#define TUI_SCREENS_SCREEN_LIVE_H

#include "tui/screens/screen.h"

/*
 * The screen of an open session: its panes, and all commands that the engineer gives to the
 * session. The screen owns the driver. Opening the screen does not start the driver: the
 * application calls driver_run() once it draws frames.
 */

/* Open a session and its screen; the caller pushes the screen. */
enum status screen_live_open(struct screen_host *host, const struct driver_options *options,
                             struct screen **screen, struct error *err) MUST_CHECK;

/* The session's driver, borrowed until the screen is closed. */
struct driver *screen_live_driver(const struct screen *screen);

/* The error that stopped the session, or an error with code STATUS_OK. */
const struct error *screen_live_failure(const struct screen *screen);

/* Show a step, and focus the pane with its text; false if there is no step with this number. */
bool screen_live_show_step(struct screen *screen, unsigned step);

#endif
