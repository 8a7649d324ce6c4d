#ifndef TUI_APP_APP_STATE_H
#define TUI_APP_APP_STATE_H

#include "tui/app/script_player.h"
#include "tui/screens/screen.h"
#include "tui/term/term.h"
#include "tui/term/theme.h"

/*
 * The state of the workbench: the stack of screens, the prompt, and the frames
 * that show them.  Above this module, app_commands.c handles keys and commands,
 * and app.c opens the workbench and serves the requests of the screens.
 */

enum { APP_SCREENS = 8 };

struct app {
    struct screen_host host;             /* first member: app.c casts a host to its app */
    struct term *term;                   /* NULL: a key script plays without a terminal */
    struct screen *screens[APP_SCREENS]; /* the last one is the uppermost */
    size_t screen_count;
    struct screen *live; /* the screen of the open session, one of `screens`, or NULL */
    struct chrome chrome;
    struct canvas canvas;
    struct theme theme;
    struct driver_options options; /* from the command line */
    struct error failure;          /* the reason to leave; STATUS_OK: there is none */
    void (*left)(void *data, struct driver *driver); /* as in struct app_options */
    void *left_data;

    const struct screen_prompt *prompt; /* NULL: the prompt is closed */
    void *prompt_data;
    struct theme kept_theme; /* the theme to restore after a preview */
    bool is_previewing;

    struct loop_timer frame;
    bool is_running;      /* the first frame has been drawn */
    int64_t drawn_us;     /* time of the last frame */
    int64_t leaving_us;   /* a second `q` before this time (clock_now_us()) leaves */
    int64_t interrupt_us; /* one more interrupt before this time is one of the same series */
    unsigned interrupts;  /* interrupts in the present series */
    char *screen_path;    /* save the next frame here; NULL: do not */

    struct script_player player;
    struct rect size; /* set by the key script; empty: the terminal's size */
};

/* Draw soon; frames are drawn at most 30 times a second. */
void app_changed(struct app *app);

/* Draw at once, because the engineer waits for the response to a key. */
void app_answered(struct app *app);

/* Draw after `delay_us` at the latest. */
void app_draw_later(struct app *app, int64_t delay_us);

/* Draw a frame now, then let the key script carry out a line. */
void app_draw(struct app *app);

/* Leave, with a failure. */
void app_fail(struct app *app, const struct error *err);

/* Put a screen on top.  A full stack loses its second screen, or the third if that is `live`. */
void app_push(struct app *app, struct screen *screen);

/* Close a screen of the stack. */
void app_remove(struct app *app, const struct screen *screen);

/* Close the uppermost screen and return to the one below. There must be more than one. */
void app_pop(struct app *app);
struct screen *app_top(const struct app *app);

/* Open the prompt with `text` in it; the callbacks of `prompt` get `data`. */
void app_ask(struct app *app, const struct screen_prompt *prompt, void *data, const char *label,
             const char *text);

/* Close the prompt without a callback. */
void app_close_prompt(struct app *app);

#endif
