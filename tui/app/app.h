#ifndef TUI_APP_APP_H
#define TUI_APP_APP_H

#include "core/session/driver/driver.h"
#include "core/session/recorded/review.h"

/*
 * The workbench: a first screen where one chooses what to work on, unless
 * that is known, and then a screen over a driver, live.  It draws when something has
 * changed, at most 30 times a second, and takes the engineer's decisions.
 *
 * A decision is taken only when its step has been on the screen for a moment:
 * keys that were typed before it appeared approve nothing.
 */

/* What is on the screen at first. */
enum app_begin {
    APP_BEGIN_SESSION, /* at work; or what to work on, where that is not known */
    APP_BEGIN_REPLAY,
    APP_BEGIN_REVIEW,
};

struct app_options {
    const struct driver_options *driver; /* without a problem or a session: the first screen */
    enum app_begin begin;
    const char *session;                /* to be told again, or reviewed; NULL: all are reviewed */
    const struct review_filter *filter; /* of a review; NULL: everything */
    const char *theme;                  /* NULL: dark */
    const char *tolerance;              /* of PyTorch files on the first screen; NULL: f32 */

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
