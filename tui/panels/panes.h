#ifndef TUI_PANELS_PANES_H
#define TUI_PANELS_PANES_H

#include "tui/panels/panel.h"

/*
 * The seven panes over a view_model, live or told again: which one has the focus,
 * and where each is scrolled to.  The lines around them are the screen's.
 */
struct panes {
    struct layout_focus focus;
    struct panel *panels[PANE_COUNT];
};

/* Open a panel for each pane; the Kernel has the focus, in the middle. */
void panes_open(struct panes *panes);
void panes_release(struct panes *panes);

/*
 * Draw those that the layout has room for; `search` is marked in the one that has the focus.
 * False: there is no room for anything, which has been said.
 */
bool panes_draw(struct panes *panes, const struct view_model *view_model,
                const struct pattern *search, const struct layout *layout,
                struct canvas *canvas) MUST_CHECK;

/* The contexts that the focus brings. */
unsigned panes_contexts(const struct panes *panes);

/* What the pane that has the focus holds, or another. */
struct panel_body panes_body(const struct panes *panes, const struct view_model *view_model);
struct panel_body panes_body_of(const struct panes *panes, const struct view_model *view_model,
                                enum pane pane);

/* Carry out what concerns panes; return whether it did. */
bool panes_command(struct panes *panes, struct view_model *view_model, const struct call *call);

/* Give the focus to the pane of what a step proposes, and show it there. */
void panes_show_proposal(struct panes *panes, enum pane pane);

/* Another row was selected in the pane that has the focus. */
void panes_follow_selection(struct panes *panes, struct view_model *view_model);

/* A press focuses a pane or selects a row, the wheel scrolls; the places are those of `canvas`. */
void panes_mouse(struct panes *panes, struct view_model *view_model, const struct canvas *canvas,
                 struct mouse mouse);

/* Append what is copied from the pane that has the focus. */
void panes_copy(const struct panes *panes, const struct view_model *view_model, struct strbuf *out);

#endif
