#ifndef TUI_SCREENS_DECISIONS_H
#define TUI_SCREENS_DECISIONS_H

#include "tui/frame/read_progress.h"
#include "tui/panels/panes.h"
#include "tui/screens/editor.h"
#include "tui/screens/screen.h"

/*
 * The engineer's decisions on the step that waits: accept, edit, veto, retry, run on.
 *
 * A decision is accepted only when the step has been on the screen for 0.3 s ("armed"), so that a
 * key typed before the step appeared decides nothing. An approval also needs the step's text on the
 * screen.
 */
struct decisions {
    struct screen_host *host; /* this, driver, view_model and panes: borrowed */
    /* NULL: hand() passes decisions to a session that another process runs */
    struct driver *driver;
    enum status (*hand)(void *data, const struct ruling *ruling, struct error *err);
    void *hand_data;
    struct view_model *view_model;
    struct panes *panes;

    unsigned seen_step;  /* the step in the last frame; 0 if there is none */
    int64_t armed_us;    /* the step can be decided from this time on (clock_now_us()) */
    bool is_drawn_armed; /* the decision bar of the last frame shows it as armed */
    struct read_progress read_progress;
    unsigned asked_step;  /* the step of the open prompt */
    unsigned edited_step; /* the step whose text is in the editor or in the draft */
    struct edit edit;     /* the files in the editor; all zeros: no editor runs */
    struct strbuf draft;  /* an edit that the driver refused; the next edit starts from it */
};

/* Free the draft. The files of an editor that still runs are left in place. */
void decisions_release(struct decisions *decisions);

/* Note and return whether the step in view can be decided now, for the decision bar. */
bool decisions_note_armed(struct decisions *decisions);

/* Record how much of the waiting step's text the panes just drew; return the text's pane. */
enum pane decisions_note_read(struct decisions *decisions, const struct layout *layout);

/* Call after each frame, with its time: a new step in it is armed later. */
void decisions_shown(struct decisions *decisions, int64_t now_us);

/* Carry out accept, edit, veto, retry or run-on.  Without an argument a prompt asks for it. */
void decisions_take(struct decisions *decisions, const struct call *call);

/* Let the policy decide until one of the limits is reached; `text` as for run_limits_parse(). */
void decisions_run_on(struct decisions *decisions, const char *text);

/*
 * The editor has ended: decide with its text, unless the editor failed or the step no longer waits.
 */
void decisions_take_edit(struct decisions *decisions, int wait_status);

/* Undo or redo a decision, or end the run of the policy: commands without an argument. */
void decisions_request(struct decisions *decisions, const struct call *call);

#endif
