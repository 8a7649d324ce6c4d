#ifndef TUI_APP_APP_MOUSE_H
#define TUI_APP_APP_MOUSE_H

#include "tui/app/app_state.h"

/*
 * The mouse. A press on a hint, or on a command in a list of commands, does what the command's key
 * does; the screen handles all other events. While the prompt is open, the mouse does nothing.
 */
void app_mouse(struct app *app, struct mouse mouse);

#endif
