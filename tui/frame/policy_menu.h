#ifndef TUI_FRAME_POLICY_MENU_H
#define TUI_FRAME_POLICY_MENU_H

#include "core/session/state/session.h"
#include "tui/widgets/widget_list.h"

/*
 * Who decides on each kind of step, as a small menu over the screen: a line
 * for each kind, of which the selected one can be switched.
 */

/* All zeros is closed. */
struct policy_menu {
    bool is_open;
    struct widget_list list;
};

/* Draw the menu over the canvas, with who decides now. */
void policy_menu_draw(struct policy_menu *policy, const struct gate *gate, struct canvas *canvas);

/* Move, or close; return whether it was taken. */
bool policy_menu_command(struct policy_menu *policy, enum screen_command command);

/* The kind of step that is selected. */
enum step_kind policy_menu_kind(const struct policy_menu *policy);

/* Append who decides now: "you: keep, recommendation", "policy until failure, 2 steps". */
void policy_menu_add_summary(const struct session *session, struct strbuf *out);

#endif
