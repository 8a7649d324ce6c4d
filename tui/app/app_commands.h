#ifndef TUI_APP_APP_COMMANDS_H
#define TUI_APP_APP_COMMANDS_H

#include "tui/app/app_state.h"

/*
 * The engineer's input: keys, the mouse, pasted text and commands.  A command
 * goes to the open overlay, then to the uppermost screen, then to the table of
 * commands that work the same on every screen.
 */

/* Carry out a command; a message says when the screen has no such command. */
void app_call(struct app *app, const struct call *call);

/* Handle a key, a mouse event or pasted text, and draw the answer. */
void app_key(struct app *app, struct key key);
void app_mouse(struct app *app, struct mouse mouse);
void app_paste(struct app *app, const char *text, size_t len);

/* Open the `:` prompt with the beginning of a command in it. */
void app_ask_for_command(struct app *app, const char *begun);

#endif
