#ifndef TUI_FRAME_STATUS_BARS_H
#define TUI_FRAME_STATUS_BARS_H

#include "tui/frame/read_progress.h"
#include "tui/keys/keymap.h"
#include "tui/panels/view_model.h"
#include "tui/term/canvas.h"

/* The lines above and below the panes: where the session stands, and what is to be decided. */

/* What the panes know about the text that a decision is about. */
struct status_bars_facts {
    const struct keymap *keymap;
    bool is_armed;                             /* decisions are taken now */
    const struct read_progress *read_progress; /* of that text */
    int pane;                                  /* where it is shown, by its number */
};

/* One line: problem, session, best speedup, device, agent, who decides, attempts and cost. */
void status_bars_draw_header(const struct view_model *view_model, struct area area);

/* The step that waits with its evidence, and the keys; else what is under way. */
void status_bars_draw_decision(const struct view_model *view_model,
                               const struct status_bars_facts *facts, struct area area);

/* The lowest line with the keys that matter most. */
void status_bars_draw_keys(const char *keys, struct area area);

/* status_bars_draw_keys() with those of a session, and at the right in a word what is going on. */
void status_bars_draw_status(const struct view_model *view_model, struct area area);

#endif
