#ifndef TUI_SCREENS_SCREEN_H
#define TUI_SCREENS_SCREEN_H

#include "core/session/driver/driver.h"
#include "tui/panels/panes.h"
#include "tui/screens/chrome.h"

/*
 * A screen fills the terminal: the first screen, the session at work, a replay, the list of
 * sessions, the recommendations, a comparison. The application (tui/app) stacks the screens. It
 * draws the uppermost one and passes commands, mouse events and pasted text to it.
 *
 * A screen knows only `struct screen_host` of the application. Commands that work the same on every
 * screen (scrolling, searching, copying, help, prompt) are carried out by the application: a screen
 * only says with body() which list or text has the focus.
 */

struct screen;
struct screen_host;

struct screen_ops {
    /* The screen shows data of the one below it, and is closed with that one. */
    bool borrows;

    /* Release the screen and free its memory. */
    void (*close)(struct screen *screen);

    /*
     * Draw on a blank canvas.  Return the line for messages and the prompt; an empty rectangle when
     * there is no room for it.
     */
    struct rect (*draw)(struct screen *screen, struct canvas *canvas);

    /*
     * Called after a frame with this screen was shown at `now_us`. NULL: the screen does not need
     * it.
     */
    void (*shown)(struct screen *screen, int64_t now_us);

    /* The contexts in which keys are looked up now, as bits of enum context. */
    unsigned (*contexts)(const struct screen *screen);

    /* The list or text that has the focus. */
    struct panel_body (*body)(struct screen *screen);

    /* Carry out a command of this screen; return false when the command is not one of its own. */
    bool (*command)(struct screen *screen, const struct call *call);

    /* Handle a mouse event; `canvas` is the frame that the engineer sees. */
    void (*mouse)(struct screen *screen, const struct canvas *canvas, struct mouse mouse);

    /* Called when text was pasted and no prompt is open. NULL: the text is dropped. */
    void (*paste)(struct screen *screen, const char *text, size_t len);

    /* Called when the selection in the focused list moved. NULL: nothing else changes. */
    void (*selected)(struct screen *screen);

    /*
     * Called when a session is opened above this screen: end the work that would disturb its
     * timings. NULL: the screen does no such work.
     */
    void (*session_opened)(struct screen *screen);

    /*
     * Called when the screens above were closed: read again what may have changed. NULL: nothing to
     * do.
     */
    void (*returned)(struct screen *screen);

    /*
     * Called when a program that run_program() started has ended. NULL: this screen starts no
     * program.
     */
    void (*program_ended)(struct screen *screen, int wait_status);

    /* Append the text for the copy command.  NULL: the text of body() is copied. */
    void (*copy)(struct screen *screen, struct strbuf *out);
};

/* The first member of every screen's own struct. */
struct screen {
    const struct screen_ops *ops;
    struct screen_host *host;
};

/* One use of the prompt line.  `data` is the pointer that was given to ask(). */
struct screen_prompt {
    struct prompt_line_options line;
    void (*entered)(void *data, const char *text);
    void (*changed)(void *data, const char *text); /* after every key; may be NULL */
    void (*left)(void *data);                      /* cancelled; may be NULL */
};

/* Requests from a screen to the application. */
struct screen_host_ops {
    /* Draw soon, at most 30 times a second. */
    void (*changed)(struct screen_host *host);

    /* Draw after `delay_us` at the latest. */
    void (*draw_later)(struct screen_host *host, int64_t delay_us);

    /* Put a screen on top of the others.  The application closes it. */
    void (*push)(struct screen_host *host, struct screen *screen);

    /*
     * Open a session on top of the screens. A session that is already open is closed with its
     * screen, which may be the caller's. On failure no screen changes. STATUS_INVALID while the
     * open session is busy.
     */
    enum status (*open_session)(struct screen_host *host, const struct driver_options *options,
                                struct error *err);

    /* Return to the open session with `step` in view; false when `session` is another session. */
    bool (*show_step)(struct screen_host *host, const char *session, unsigned step);

    /* Open the prompt with `text` in it.  `prompt` is borrowed until the prompt is closed. */
    void (*ask)(struct screen_host *host, const struct screen_prompt *prompt, void *data,
                const char *label, const char *text);

    /* Open the `:` prompt with the beginning of a command in it. */
    void (*ask_for_command)(struct screen_host *host, const char *begun);

    /* Give the terminal to a program until it ends; STATUS_UNAVAILABLE without a terminal. */
    enum status (*run_program)(struct screen_host *host, const char *const *argv,
                               struct error *err);

    /* Report an event of the session, because a key script may wait for it. */
    void (*note_event)(struct screen_host *host, enum event_type type);
};

struct screen_host {
    const struct screen_host_ops *ops;
    struct loop *loop;
    struct chrome *chrome;                /* messages, prompt and search */
    const struct driver_options *options; /* from the command line, for sessions that are opened */
    const char *tolerance;                /* from the command line, for PyTorch files; NULL: f32 */
};

/* A row of a screen's table of commands; COMMAND_NONE ends the table. */
struct screen_binding {
    enum screen_command command;
    void (*run)(struct screen *screen, const struct call *call);
};

/* Run the function of the command's row; false if the table has no row for it. */
bool screen_call(struct screen *screen, const struct screen_binding *bindings,
                 const struct call *call);

/* Options for a view model's questions to a worker about a candidate; errors become messages. */
struct candidate_query_options screen_query_options(struct screen_host *host);

/* Ask for another frame if a pane still has something to read. */
void screen_read_on(struct screen *screen, const struct panes *panes);

/* Carry out the command `layout` for the panes of a screen, and show a message about the result. */
void screen_pin_layout(struct screen_host *host, const struct panes *panes, const char *name);

/* Scroll a body with the wheel, for mouse() of screens that have one list or text. */
void screen_scroll(const struct panel_body *body, struct mouse mouse);

#endif
