#ifndef TUI_FRAME_STATUS_BARS_H
#define TUI_FRAME_STATUS_BARS_H

#include "tui/frame/hints.h"
#include "tui/frame/read_note.h"
#include "tui/panels/view_model.h"
#include "tui/widgets/message.h"
#include "tui/widgets/scene.h"

/*
 * The lines below the panes: the decision bar with the step that waits, and the lowest line with
 * the most important keys.
 */

/* The facts that the view model does not have, most of them about the waiting decision. */
struct status_bars_facts {
    const struct keymap *keymap;
    struct message_log *messages; /* of the screen; NULL: none */
    bool goes_back;        /* the key q goes back to another screen; false: it leaves the program */
    enum scene pinned;     /* the layout, as in struct layout_focus */
    bool is_armed;         /* the decision keys are active */
    bool is_inbox;         /* another process runs the session: only decisions can be sent to it */
    struct read_note note; /* the note about the text to be decided on */
};

/*
 * Draw two lines: the waiting step with its evidence or, if none waits, the current activity; and
 * the keys.
 */
void status_bars_draw_decision(const struct view_model *view_model,
                               const struct status_bars_facts *facts, struct area area);

/*
 * Draw words at the right end of the lowest line. If a layout is pinned, draw a note about it
 * before them, with the layout's name if there is room. Return the area on the left.
 */
struct area status_bars_draw_end(const struct keymap *keymap, enum scene pinned, const char *words,
                                 struct area area);

/* Draw the lowest line of a session: its keys, and at the right its state in a few words. */
void status_bars_draw_status(const struct view_model *view_model,
                             const struct status_bars_facts *facts, struct area area);

#endif
