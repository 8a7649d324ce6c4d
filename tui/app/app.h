#ifndef TUI_APP_APP_H
#define TUI_APP_APP_H

#include "core/session/driver/driver.h"
#include "core/session/recorded/review.h"

/*
 * The workbench: the terminal program around the screens (tui/screens).  It
 * runs the loop, draws the uppermost screen when something has changed, at most
 * 30 times a second, and passes keys and commands to it.
 */

/* The screen at the start. */
enum app_begin {
    APP_BEGIN_SESSION, /* the session of `driver`; the first screen when `driver` names none */
    APP_BEGIN_REPLAY,
    APP_BEGIN_REVIEW,
    APP_BEGIN_SUITE,
};

struct app_options {
    const struct driver_options
        *driver; /* the session to open, or the defaults for the first screen */
    enum app_begin begin;
    /* the session to replay or to review; NULL: review all sessions */
    const char *session;
    const char *suite;                  /* the suite to show; NULL: the latest */
    const struct review_filter *filter; /* filter of a review; NULL: all recommendations */
    const char *theme;                  /* NULL: dark */
    /* tolerance of PyTorch files on the first screen; NULL: f32 */
    const char *tolerance;

    /* A key script to play, or NULL.  Without a terminal the program ends with the script. */
    const char *keys;

    /*
     * Called before the driver of a session is closed: at the end of the program, after the
     * terminal was restored, or earlier if the engineer leaves the session's screen, while the
     * terminal is still in use.
     */
    void (*left)(void *data, struct driver *driver);
    void *data;
};

/*
 * Run until the engineer leaves.  Fails when the session or the terminal cannot be opened, when the
 * session stops with an error, or when the key script fails.
 */
enum status app_run(const struct app_options *options, struct error *err) MUST_CHECK;

#endif
