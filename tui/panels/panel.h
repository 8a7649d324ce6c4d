#ifndef TUI_PANELS_PANEL_H
#define TUI_PANELS_PANEL_H

#include "tui/keys/keymap.h"
#include "tui/panels/view_model.h"
#include "tui/widgets/layout.h"
#include "tui/widgets/widget_list.h"
#include "tui/widgets/widget_text.h"

/*
 * One pane's contents.  A panel draws a view_model that it does not change; what
 * it keeps is how it looks at it: what is scrolled where, which difference is
 * shown.  What is in it is a text or a list, so that scrolling, searching,
 * filtering and copying are the same everywhere (tui/screens/chrome.c).  A command may
 * have it ask for something beyond its pane.
 */

enum panel_wish {
    PANEL_NOTHING,
    PANEL_LOOK_AT_STEP,
    PANEL_LOOK_AT_ATTEMPT,
    PANEL_GO_TO_LINE,   /* of the kernel */
    PANEL_COMPARE_WITH, /* an attempt */
    PANEL_FOCUS,        /* an enum pane */
    PANEL_LIST,         /* ask for a listing of the kernel */
};

struct panel_answer {
    enum panel_wish wish;
    unsigned number; /* the step, attempt, line or pane, or the place in candidate_query_forms */
};

/* What a pane holds: a text, or a list of rows. */
struct panel_body {
    struct widget_text *text;
    struct widget_list *list;
    struct widget_rows rows;
    bool is_aside; /* not what a step proposes, though its text belongs into this pane */
};

/* Scroll or select by a command; return whether it was one that does. */
bool panel_body_move(const struct panel_body *body, enum screen_command command);

/* As widget_text_find() and widget_list_find(). */
bool panel_body_find(const struct panel_body *body, const struct pattern *pattern, int direction);

/* What narrows down what is shown; the body's, to be set by the user. */
struct pattern *panel_body_filter(const struct panel_body *body);

/* Append the text, or the selected row. */
void panel_body_add_text(const struct panel_body *body, struct strbuf *out);

struct panel;

struct panel_ops {
    struct panel *(*open)(void);
    void (*close)(struct panel *panel);

    void (*draw)(struct panel *panel, const struct view_model *view_model, struct area area);
    struct panel_body (*body)(struct panel *panel, const struct view_model *view_model);

    /* Commands of this pane alone; return whether it was one.  NULL: there are none. */
    bool (*command)(struct panel *panel, const struct view_model *view_model,
                    const struct call *call, struct panel_answer *answer);

    /* Another row was selected.  NULL: it means nothing beyond the pane. */
    struct panel_answer (*select)(struct panel *panel);

    int list_top; /* the line where the list begins */

    /* Append what the title says beyond the pane's name.  NULL: nothing. */
    void (*title)(const struct panel *panel, const struct view_model *view_model,
                  struct strbuf *out);

    /* Bring a line of the kernel into sight.  NULL: this panel has none. */
    void (*go_to_line)(struct panel *panel, size_t line);

    /* Show what a step proposes again.  NULL: nothing else is ever shown. */
    void (*show_proposal)(struct panel *panel);

    /* Show the difference from the attempt that was chosen.  NULL: this panel shows none. */
    void (*compare)(struct panel *panel);

    /* Append what is copied.  NULL: what the body holds. */
    void (*copy)(const struct panel *panel, const struct view_model *view_model,
                 struct strbuf *out);
};

/* A panel begins with this. */
struct panel {
    const struct panel_ops *ops;
};

/* The pane that shows the text which a step of the kind proposes. */
enum pane panel_of_step(enum step_kind kind);

/* By pane. */
extern const struct panel_ops *const panel_list[PANE_COUNT];

extern const struct panel_ops panel_steps, panel_candidates, panel_kernel, panel_diagnostics,
    panel_correctness, panel_profile, panel_agents;

#endif
