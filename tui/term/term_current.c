#include "tui/term/term_current.h"

#include <unistd.h>

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

bool term_current_has_colours(const char *name)
{
    int found, colours;

    if (setupterm(name, STDOUT_FILENO, &found) == ERR)
        return false;
    colours = tigetnum("colors");
    del_curterm(cur_term);
    return colours > 0;
}
