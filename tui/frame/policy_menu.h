#ifndef TUI_FRAME_POLICY_MENU_H
#define TUI_FRAME_POLICY_MENU_H

#include "core/session/state/session.h"
#include "tui/widgets/widget_list.h"

/*
 * A small menu over the screen that tells who decides on each kind of step: the engineer or the
 * policy.  It has a line for each kind; the caller switches the selected one.
 */

/* All zeros is a closed menu. */
struct policy_menu {
    bool is_open;
    struct widget_list list;
};

/* Draw the menu over the canvas, with the modes of the gate. */
void policy_menu_draw(struct policy_menu *policy, const struct gate *gate, struct canvas *canvas);

/* Move or close by a command; return whether the command is one of these. */
bool policy_menu_command(struct policy_menu *policy, enum screen_command command);

/* The selected kind of step. */
enum step_kind policy_menu_kind(const struct policy_menu *policy);

/* Read a kind of step and who decides on it, "keep auto"; false if the text is no such pair. */
bool policy_menu_parse(const char *text, enum step_kind *kind, enum gate_mode *mode);

/* Append who decides now: "you: keep, recommendation", "policy until failure, 2 of 5 steps". */
void policy_menu_add_summary(const struct session *session, struct strbuf *out);

#endif
