#ifndef TUI_APP_APP_STATE_H
#define TUI_APP_APP_STATE_H

#include "core/session/recorded/recording.h"
#include "tui/app/app.h"
#include "tui/app/script.h"
#include "tui/frame/policy_menu.h"
#include "tui/frame/read_progress.h"
#include "tui/panels/panes.h"
#include "tui/screens/chrome.h"
#include "tui/screens/screen.h"
#include "tui/term/term.h"

/*
 * The inside of the workbench, shared by its parts: app.c opens it and draws,
 * app_commands.c carries out commands, app_live.c is the screen of the session
 * at work, app_decisions.c takes the engineer's decisions, app_script.c plays
 * a key script; and tui/screen_*.c are the other screens.
 */

enum { APP_SCREENS = 8 };

/* What the prompt may be open for. */
struct app_prompt {
    struct prompt_line_options line;
    void (*entered)(struct app *app, const char *text);
    void (*changed)(struct app *app, const char *text); /* after every key; NULL: nothing to do */
    void (*left)(struct app *app);                      /* NULL: nothing to do */
};

struct app {
    struct loop *loop;
    struct term *term; /* NULL: there is none, and a script is played off the screen */
    struct screen *screens[APP_SCREENS]; /* the uppermost is the last */
    size_t screen_count;
    struct chrome chrome;
    struct canvas canvas;
    struct theme theme;
    const struct app_prompt *prompt; /* NULL: the prompt is closed */
    struct theme kept_theme;         /* what a preview comes back to */
    bool is_previewing;
    struct loop_timer frame, clock;
    bool is_running;    /* frames are drawn */
    int64_t drawn_us;   /* when a frame was shown last */
    int64_t leaving_us; /* until when another `q` leaves */
    char *screen_path;  /* where the next frame is saved; NULL: nowhere */
    struct error failure;

    /* The session at work. */
    struct screen live;
    struct driver *driver; /* NULL: there is none */
    struct driver_options driver_options;
    const char *tolerance; /* that the first screen begins with; borrowed; NULL: f32 */
    struct view_model view_model;
    struct panes panes;
    struct policy_menu policy; /* the menu of who decides */

    /* Decisions. */
    unsigned seen_step;                 /* the step that the decision bar shows; 0: none */
    struct read_progress read_progress; /* of its text */
    int64_t armed_us;                   /* from when on it can be decided */
    unsigned asked_step;                /* that the prompt is about */
    unsigned asked_attempt;             /* or that */
    unsigned edited_step;               /* which the editor, or the draft, is about */
    char *edited_path;                  /* the file that is in the editor; NULL: none is */
    struct strbuf pasted;               /* a reply, until it is sent */
    struct strbuf draft;                /* an edit that was not taken: editing goes on with it */

    /* The key script. */
    struct script script;
    struct rect size;           /* that it set; empty: the terminal's */
    unsigned heard;             /* the types of events since it asked last, as bits */
    struct loop_timer patience; /* how long it goes on waiting */
};

/* Something that is shown has changed: draw, at most 30 times a second. */
void app_changed(struct app *app);

/* Draw at once: somebody at the keys waits for it. */
void app_answered(struct app *app);

/* Draw after a while at the latest. */
void app_draw_later(struct app *app, int64_t delay_us);

/* Leave with a failure. */
void app_fail(struct app *app, const struct error *err);

/* Carry out a command, or say why not. */
void app_call(struct app *app, const struct call *call);
void app_key(struct app *app, struct key key);
void app_mouse(struct app *app, struct mouse mouse);
void app_paste(struct app *app, const char *text, size_t len);

/* What scrolls and is searched: that of the overlay, where one is open. */
struct panel_body app_body(struct app *app);

/* Copy what is in sight into a file, or to the clipboard where `path` is empty. */
void app_copy(struct app *app, const char *path);

/* Open the prompt, with text in it already. */
void app_ask(struct app *app, const struct app_prompt *prompt, const char *label, const char *text);

/* Open the prompt for a command that is begun. */
void app_ask_for_command(struct app *app, const char *begun);

/* Whether the step that is seen can be decided now. */
bool app_is_armed(const struct app *app);

/* A frame has been shown: a step on it can be decided after a moment. */
void app_arm(struct app *app);

/* Accept, edit, veto, retry, run on; what is asked for may be given as the argument. */
void app_decide(struct app *app, const struct call *call);

/* Let policies decide until one of the limits is reached (as run_limits_parse() reads them). */
void app_run_on(struct app *app, const char *text);

/* Ask with which agent the step in view is to be decided anew; `prompt` takes the answer. */
void app_ask_for_fork(struct app *app, const struct app_prompt *prompt,
                      const struct view_model *view_model);

/* Fork a session there, and open the fork as app_open_live() does. */
enum status app_open_fork(struct app *app, const struct recording *parent, unsigned step,
                          const char *agent, struct error *err) MUST_CHECK;

/* Ask whether what was pasted is the reply that a person gives in a model's place. */
void app_take_reply(struct app *app, const char *text, size_t len);

/* The editor has ended. */
void app_take_edit(struct app *app, int wait_status);

/*
 * Open a session in place of all screens.  Until it is open, nothing else is
 * different; one that is at work here has to be interrupted before.
 */
enum status app_open_live(struct app *app, const struct driver_options *options,
                          struct error *err) MUST_CHECK;

/* How a view_model of this program asks a judge about a candidate. */
struct candidate_query_options app_query_options(struct app *app);

/* Go back to the session at work, with a step in view; false: it is another one. */
bool app_show_step(struct app *app, const char *session, unsigned step);

/* Put a screen on the others, which the app closes; take the uppermost off. */
void app_push(struct app *app, struct screen *screen);
void app_pop(struct app *app);
struct screen *app_top(const struct app *app);

/* A frame has been drawn: carry out the next line of the script, if it can be. */
void app_play(struct app *app);

#endif
