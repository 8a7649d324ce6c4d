#ifndef TUI_FRAME_POLICY_MENU_H
#define TUI_FRAME_POLICY_MENU_H

#include "core/session/driver/driver.h"
#include "tui/widgets/widget_list.h"

/*
 * A small menu over the screen with a line for each kind of step. The line shows whether the
 * engineer or the policy decides on it; the engineer can switch the selected line.
 */

/* All zeros is a closed menu. */
struct policy_menu {
    bool is_open;
    struct widget_list list;
    struct rect place; /* place of the list in the last frame */
};

/* Draw the menu over the canvas, with the modes of the gate. */
void policy_menu_draw(struct policy_menu *policy, const struct keymap *keymap,
                      const struct gate *gate, struct canvas *canvas);

/* Move or close by a command; return whether the command is one of these. */
bool policy_menu_command(struct policy_menu *policy, enum screen_command command);

/* Select the kind of step that was drawn at this line of the canvas; false if there is none. */
bool policy_menu_select_at(struct policy_menu *policy, int x, int y);

/* Switch the selected kind of step between engineer and policy. */
enum status policy_menu_switch(const struct policy_menu *policy, struct driver *driver,
                               struct error *err) MUST_CHECK;

/* Set who decides, from a text: a kind of step, then auto or ask, such as "keep auto". */
enum status policy_menu_set(struct driver *driver, const char *text, struct error *err) MUST_CHECK;

/* Append who decides now: "you: keep, recommendation", "policy until failure, 2 of 5 steps". */
void policy_menu_add_summary(const struct session *session, struct strbuf *out);

#endif
