#ifndef TUI_TERM_TERM_CURRENT_H
#define TUI_TERM_TERM_CURRENT_H

#include <stdbool.h>

/*
 * Keeps terminfo's current terminal while a library changes it.
 *
 * curses reads the capabilities of the screen through the global `cur_term` at every call. A
 * library that calls tgetent() or setupterm(), as libedit does, replaces it. After that, the screen
 * would use colours and cursor sequences of the other terminal's description.
 */

/* Call `call(data)`, then make the terminal that was current before it current again. */
void term_current_keep(void (*call)(void *data), void *data);

/* True if terminfo knows colours of this terminal.  Call it before a screen is open. */
bool term_current_has_colours(const char *name);

#endif
