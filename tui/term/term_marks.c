#include "tui/term/term_marks.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define NCURSES_WIDECHAR 1
#include <curses.h>
#include <term.h>

#include "core/base/array.h"
#include "core/base/text.h"

/* The argument of the capability Sync, as tmux defines it. */
enum { SYNC_BEGIN = 1, SYNC_END = 2 };

/* The first words of TERM, such as xterm in xterm-256color. */
static const char *const families[] = {"xterm",   "tmux",    "foot",    "kitty",
                                       "wezterm", "contour", "ghostty", "alacritty"};

static bool is_known(const char *name)
{
    for (size_t i = 0; i < COUNT(families); i++)
        if (strcspn(name, "-") == strlen(families[i]) && text_begins(name, families[i]))
            return true;
    return false;
}

struct term_marks term_marks_find(void)
{
    struct term_marks marks = {0};
    char *sync = tigetstr("Sync"); /* (char *)-1: Sync is not a string capability */

    if (sync && sync != (char *)-1) {
        snprintf(marks.begin, sizeof(marks.begin), "%s", tiparm(sync, SYNC_BEGIN));
        snprintf(marks.end, sizeof(marks.end), "%s", tiparm(sync, SYNC_END));
    } else if (is_known(termname())) {
        snprintf(marks.begin, sizeof(marks.begin), "\033[?2026h");
        snprintf(marks.end, sizeof(marks.end), "\033[?2026l");
    }
    return marks;
}
