#ifndef TUI_SCREENS_SCREEN_COMPARE_H
#define TUI_SCREENS_SCREEN_COMPARE_H

#include "tui/panels/panes.h"
#include "tui/screens/screen.h"

/*
 * Compares two points in a replay of a session: time, best and cost so far, and
 * the candidates in view, with their measurements and the difference of their
 * sources.  Or compares two candidates of a session.
 */

/* A point in a replay, or a candidate. */
struct compare_point {
    unsigned step, attempt;    /* in view; 0 if there is none */
    bool is_candidate;         /* it is a candidate; of the members below only `at` is then known */
    char at[CLOCK_STAMP_SIZE]; /* time of the event */
    double best_us;            /* best time so far; 0 if no candidate was kept yet */
    double usd;                /* cost so far */
    bool is_usd_unknown;       /* some replies have no known cost */
};

/* The point that the view model shows. */
struct compare_point compare_point_of(const struct view_model *view_model);

/*
 * Open the comparison. `session` is the state at the later point, so the numbers are those that
 * other screens show for that moment. `session` and `source` must outlive the screen.
 */
void screen_compare_open(struct screen_host *host, const struct compare_point points[2],
                         const struct session *session, const struct view_model_source *source);

/*
 * Handle a command for the panes, like panes_command(). If it chose two candidates, open their
 * comparison. The command `picture` shows the picture of the attempt in view.
 */
bool screen_compare_from_panes(struct screen_host *host, struct panes *panes,
                               struct view_model *view_model, const struct call *call);

#endif
