#ifndef TUI_PANELS_PANES_H
#define TUI_PANELS_PANES_H

#include "tui/panels/panel.h"

/*
 * The seven panes of a session, live or replayed: their panels and the focus.  The screen draws the
 * bars around them.
 */
struct panes {
    struct layout_focus focus;
    struct panel *panels[PANE_COUNT];
    bool is_loading;   /* a pane in the last frame still has something to read */
    unsigned followed; /* the step that panes_follow_session() showed last; 0 if there is none */
    unsigned failed;   /* the attempt whose first error was scrolled to; 0 if there is none */
    unsigned pair[2];  /* two attempts that the engineer wants to compare; 0 if there is none */
};

/* Open a panel for each pane; the Kernel pane has the focus. */
void panes_open(struct panes *panes);
void panes_release(struct panes *panes);

/*
 * Draw the panes for which the layout has room, and highlight the matches of `search` in the
 * focused one. Returns false if there is no room for any pane; a message on the screen says so.
 */
bool panes_draw(struct panes *panes, const struct view_model *view_model,
                const struct pattern *search, const struct layout *layout,
                struct canvas *canvas) MUST_CHECK;

/* The contexts of the focused pane, enum context bits. */
unsigned panes_contexts(const struct panes *panes);

/* The body of the focused pane, or of another one. */
struct panel_body panes_body(const struct panes *panes, const struct view_model *view_model);
struct panel_body panes_body_of(const struct panes *panes, const struct view_model *view_model,
                                enum pane pane);

/* Handle a command for the panes; return whether it is one. */
bool panes_command(struct panes *panes, struct view_model *view_model, const struct call *call);

/* Take the attempts to compare, which panes_command() left; false if there are none. */
bool panes_take_pair(struct panes *panes, unsigned pair[2]);

/*
 * Show the scene of the step in view; for a failed build, scroll to its first error. The focus
 * moves to the scene's subject if it was on the subject of the previous scene; with `is_free`, also
 * if it was on another pane that shows proposals.
 */
void panes_follow_step(struct panes *panes, const struct view_model *view_model, bool is_free);

/*
 * Do the same before each frame of a live session, unless the engineer looks at another step, or
 * has moved and works in a pane that shows proposals. In these cases only the decision bar names
 * the step.
 */
void panes_follow_session(struct panes *panes, const struct view_model *view_model, bool has_moved);

/* Give the focus to the pane of a proposal, and show the proposal there. */
void panes_show_proposal(struct panes *panes, enum pane pane);

/* Show the newly selected row of the focused pane in the other panes. */
void panes_follow_selection(struct panes *panes, struct view_model *view_model);

/* Handle the mouse: a press focuses a pane and selects a row, the wheel scrolls. */
void panes_mouse(struct panes *panes, struct view_model *view_model, const struct canvas *canvas,
                 struct mouse mouse);

/* Append the text to copy from the focused pane. */
void panes_copy(const struct panes *panes, const struct view_model *view_model, struct strbuf *out);

#endif
