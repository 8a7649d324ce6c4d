#ifndef TUI_APP_H
#define TUI_APP_H

#include "core/session/driver.h"

/*
 * The workbench: a first screen where one chooses what to work on, unless
 * that is known, and then a screen over a driver, live.  It draws when something has
 * changed, at most 30 times a second, and takes the engineer's decisions.
 *
 * A decision is taken only when its step has been on the screen for a moment:
 * keys that were typed before it appeared approve nothing.
 */

struct app_options {
    const struct driver_options *driver; /* without a problem or a session: the first screen */
    const char *replay;                  /* the session that is told again; NULL: none is */
    const char *theme;                   /* NULL: dark */

    /* A key script to play.  Without a terminal it is played off the screen, and ends the run. */
    const char *keys;

    /* The terminal is as it was, the session not closed yet: for the last words. */
    void (*left)(void *data, struct driver *driver);
    void *data;
};

/*
 * Open the session and run until the engineer leaves.  Fails when session or
 * terminal cannot be opened, and with the reason when the session broke down.
 */
enum status app_run(const struct app_options *options, struct error *err) MUST_CHECK;

#endif
