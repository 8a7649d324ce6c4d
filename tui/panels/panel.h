#ifndef TUI_PANELS_PANEL_H
#define TUI_PANELS_PANEL_H

#include "tui/keys/keymap.h"
#include "tui/panels/view_model.h"
#include "tui/widgets/layout.h"
#include "tui/widgets/widget_list.h"
#include "tui/widgets/widget_text.h"

/*
 * A panel is the contents of one pane. It draws a const view_model and keeps only its own state,
 * such as the scroll position and the chosen difference. Its body is a text or a list, so that
 * scrolling, searching, filtering and copying work in the same way in every pane. A command may
 * return a wish, an action outside of the pane, which tui/panels/panes.c carries out.
 */

enum panel_wish {
    PANEL_NOTHING,
    PANEL_LOOK_AT_STEP,
    PANEL_LOOK_AT_ATTEMPT,
    PANEL_GO_TO_LINE,   /* a line of the kernel, from 1 */
    PANEL_COMPARE_WITH, /* show the difference from an attempt */
    PANEL_COMPARE_PAIR, /* compare an attempt with the one in view, on a separate screen */
    PANEL_FOCUS,        /* give the focus to an enum pane */
    PANEL_ASK_LISTING,  /* ask for a listing of this form (core/judge/tools/listing_form.h) */
};

struct panel_answer {
    enum panel_wish wish;
    unsigned number; /* the step, attempt, line, pane or form */
};

/* The body of a pane: a text or a list of rows; the other pointer is NULL. */
struct panel_body {
    struct widget_text *text;
    struct widget_list *list;
    struct widget_rows rows;
    int top; /* the line of the pane on which the list begins */
    /* the pane does not show the proposal, but for example a plan or a listing */
    bool is_aside;
    const char *trouble; /* the error in the filter; NULL or "" if there is none */
};

/* Scroll or select by a command; return whether the command is one of these. */
bool panel_body_move(const struct panel_body *body, enum screen_command command);

/* Search as widget_text_find() and widget_list_find() do. */
bool panel_body_find(const struct panel_body *body, const struct pattern *pattern, int direction);

/* Borrow the filter of the body; the caller may set it. */
struct pattern *panel_body_filter(const struct panel_body *body);

/* Append the whole text, or the selected row. */
void panel_body_add_text(const struct panel_body *body, struct strbuf *out);

struct panel;

struct panel_ops {
    size_t size; /* size of the panel's own struct, which begins as all zeros */

    /* Set members that do not begin as zeros; may be NULL. */
    void (*open)(struct panel *panel);

    /* Release what the panel owns. */
    void (*release)(struct panel *panel);

    /* Called for each frame, with the area inside the border. */
    void (*draw)(struct panel *panel, const struct view_model *view_model, struct area area);

    /* Borrow the body, to scroll, search or copy it. */
    struct panel_body (*body)(struct panel *panel, const struct view_model *view_model);

    /* Handle a command of this pane; return whether it is one.  NULL: the pane has no commands. */
    bool (*command)(struct panel *panel, const struct view_model *view_model,
                    const struct call *call, struct panel_answer *answer);

    /* Called when another row was selected. NULL: the selection has no effect outside the pane. */
    struct panel_answer (*select)(struct panel *panel);

    /*
     * Called when the mouse was pressed at a place on the canvas, below the list. NULL: nothing
     * happens.
     */
    struct panel_answer (*press)(struct panel *panel, int x, int y);

    /* Append to the title, after the pane's name. NULL: append nothing. */
    void (*title)(const struct panel *panel, const struct view_model *view_model,
                  struct strbuf *out);

    /* The command whose key the title names; COMMAND_NONE for none.  NULL: it names no key. */
    enum screen_command (*title_command)(const struct panel *panel,
                                         const struct view_model *view_model);

    /* Scroll to a line of the kernel.  NULL: the panel shows no kernel. */
    void (*go_to_line)(struct panel *panel, size_t line);

    /*
     * True if there is still something to read, which one frame had no time for. NULL: the panel
     * reads nothing.
     */
    bool (*is_loading)(const struct panel *panel);

    /* Show the proposal of the step again.  NULL: the panel always shows it. */
    void (*show_proposal)(struct panel *panel);

    /* Show the difference from the chosen attempt.  NULL: the panel shows no differences. */
    void (*compare)(struct panel *panel);

    /* Append the text to copy.  NULL: copy the body. */
    void (*copy)(const struct panel *panel, const struct view_model *view_model,
                 struct strbuf *out);
};

/* The first member of each panel. */
struct panel {
    const struct panel_ops *ops;
};

/* Make and free a panel. */
struct panel *panel_new(const struct panel_ops *ops);
void panel_free(struct panel *panel);

/* True while the attempt in view has no verdict and the judge evaluates. */
bool panel_awaits_verdict(const struct view_model *view_model);

/* The pane that shows the proposal of a step of this kind. */
enum pane panel_of_step(enum step_kind kind);

/* The panels, indexed by pane. */
extern const struct panel_ops *const panel_list[PANE_COUNT];

extern const struct panel_ops panel_steps, panel_candidates, panel_kernel, panel_diagnostics,
    panel_correctness, panel_profile, panel_agents;

#endif
