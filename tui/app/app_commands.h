#ifndef TUI_APP_APP_COMMANDS_H
#define TUI_APP_APP_COMMANDS_H

#include "tui/app/app_state.h"

/*
 * The engineer's input: keys, pasted text and commands.  A command
 * goes to the open overlay, then to the uppermost screen, then to the table of
 * commands that work the same on every screen.
 */

/* Carry out a command; a message says when the screen has no such command. */
void app_call(struct app *app, const struct call *call);

/* Handle a key or pasted text, and draw the result. */
void app_key(struct app *app, struct key key);
void app_paste(struct app *app, const char *text, size_t len);

/* The contexts in which a key is looked up now, enum context bits. */
unsigned app_contexts(const struct app *app);

/* Run a command that the engineer pointed to; if it needs an argument, open the prompt for it. */
void app_run_row(struct app *app, const struct keymap_row *row, bool needs_argument);

/* Close the palette and run a command from it; NULL runs none. */
void app_take_choice(struct app *app, const struct keymap_row *row);

/* Open the `:` prompt with the beginning of a command in it. */
void app_ask_for_command(struct app *app, const char *begun);

#endif
