#ifndef TUI_PANELS_PROFILE_TRAJECTORY_VIEW_H
#define TUI_PANELS_PROFILE_TRAJECTORY_VIEW_H

#include "core/session/state/trajectory_chart.h"
#include "tui/panels/panel.h"

/*
 * The trajectory of the session in view, as the Profile pane shows it: the attempts as a list of a
 * few lines, and the chart below it. The selected attempt is the cursor in the chart.
 */
struct trajectory_view {
    struct trajectory trajectory; /* the trajectory of the last drawing */
    const struct session *session;
    enum trajectory_by by;
    struct widget_list list;
    struct rect chart; /* the place of the last drawing on the canvas */
};

/* True if an attempt has a speed. */
bool trajectory_view_is_known(const struct view_model *view_model);

/* Draw list and chart, or the chart alone. */
void trajectory_view_draw(struct trajectory_view *view, const struct view_model *view_model,
                          struct area area);
void trajectory_view_draw_chart(struct trajectory_view *view, const struct view_model *view_model,
                                struct area area);

/* The attempt whose mark in the chart is nearest to a place on the canvas; 0 if it is outside. */
unsigned trajectory_view_attempt_at(struct trajectory_view *view, int x, int y);

/* The list of attempts, for the commands that move, search and copy. */
struct panel_body trajectory_view_body(struct trajectory_view *view,
                                       const struct view_model *view_model);
void trajectory_view_release(struct trajectory_view *view);

#endif
