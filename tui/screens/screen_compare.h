#ifndef TUI_SCREENS_SCREEN_COMPARE_H
#define TUI_SCREENS_SCREEN_COMPARE_H

#include "tui/screens/screen.h"

/* Two points of a session beside each other: how far it had come, and the candidates in view. */

/* What the view_model showed at a point. */
struct compare_point {
    unsigned step, attempt; /* in view */
    char at[CLOCK_STAMP_SIZE];
    double best_us;      /* until then; 0: nothing was kept yet */
    double usd;          /* spent until then */
    bool is_usd_unknown; /* some replies did not say */
};

/* The point where the view_model stands; step 0 where nothing was proposed yet. */
struct compare_point compare_point_of(const struct view_model *view_model);

/* `whole` has the session that both points are in, and the source of its texts, until the screen
 * is closed. */
void screen_compare_open(struct screen_host *host, const struct compare_point points[2],
                         const struct session *whole, const struct view_model_source *source);

#endif
