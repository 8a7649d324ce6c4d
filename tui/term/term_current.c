#include "tui/term/term_current.h"

#define NCURSES_WIDECHAR 1
#include <curses.h>
#include <term.h>

void term_current_keep(void (*call)(void *data), void *data)
{
    TERMINAL *ours = cur_term; /* NULL while no screen is open */

    call(data);
    if (ours)
        set_curterm(ours);
}
