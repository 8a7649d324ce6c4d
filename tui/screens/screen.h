#ifndef TUI_SCREENS_SCREEN_H
#define TUI_SCREENS_SCREEN_H

#include "core/session/recorded/review.h"
#include "tui/panels/panel.h"

/*
 * A screen of its own: the first one, the session at work, a session told
 * again, the list of sessions, the recommendations.  They lie on one another
 * (tui/app/app.c), and the uppermost is drawn and gets the commands; what is the
 * same everywhere (scrolling, searching, copying, help, prompt) is not theirs.
 *
 * The commands of a screen are the rows of the keymap whose contexts it names.
 */

struct app;
struct screen;

struct screen_ops {
    void (*close)(struct screen *screen);

    /* Draw on a blank canvas, and return the line for messages; empty: there is no room for any. */
    struct rect (*draw)(struct screen *screen, struct canvas *canvas);

    /* What its keys mean now, as bits of enum context beside CONTEXT_ALWAYS. */
    unsigned (*contexts)(const struct screen *screen);

    /* The list or text that has the focus. */
    struct panel_body (*body)(struct screen *screen);

    /* Carry out a command of this screen; return whether it was one. */
    bool (*command)(struct screen *screen, const struct call *call);

    /* The places are those of `canvas`, which shows the screen. */
    void (*mouse)(struct screen *screen, const struct canvas *canvas, struct mouse mouse);

    /* Another row of the list that has the focus was selected.  NULL: nothing follows. */
    void (*selected)(struct screen *screen);

    /* Append what is copied.  NULL: what the body holds. */
    void (*copy)(struct screen *screen, struct strbuf *out);
};

/* A screen begins with this. */
struct screen {
    const struct screen_ops *ops;
    struct app *app;
};

/* Each opens a screen over the others. */
void screen_start_open(struct app *app);

/* `name` as of recording_open(); it is told up to what came of `step`, or from the start for 0. */
enum status screen_replay_open(struct app *app, const char *name, unsigned step,
                               struct error *err) MUST_CHECK;
enum status screen_sessions_open(struct app *app, struct error *err) MUST_CHECK;

/* Of a session, or of all for NULL; `filter` may be NULL. */
enum status screen_review_open(struct app *app, const char *session,
                               const struct review_filter *filter, struct error *err) MUST_CHECK;

#endif
