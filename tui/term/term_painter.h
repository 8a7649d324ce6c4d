#ifndef TUI_TERM_TERM_PAINTER_H
#define TUI_TERM_TERM_PAINTER_H

#include "tui/term/canvas.h"
#include "tui/term/theme.h"

/*
 * Writes the changed cells of a canvas to the window of curses. It remembers the attributes and the
 * colour pair of each role on each ground, because finding them takes longer than writing a cell.
 */

/* How curses shows text in a role on a ground. */
struct look {
    bool is_known;
    unsigned attributes; /* curses' A_ bits, its attr_t */
    int pair;            /* pair number of curses */
};

struct term_painter {
    enum depth depth;
    struct theme theme;                        /* the theme of `looks` */
    struct look looks[ROLE_COUNT][ROLE_COUNT]; /* by role and ground */
    int pair_count;                            /* number of curses' pairs that the looks use */
    struct canvas shown;
    bool is_stale; /* the terminal does not show `shown` */
};

/* Let curses use colours; `painter` must be all zeros, and a screen of curses open. */
void term_painter_open(struct term_painter *painter);
void term_painter_release(struct term_painter *painter);

/*
 * Write the canvas to the window of curses; the caller updates the terminal.  False: it is the
 * canvas that the terminal shows.
 */
bool term_painter_show(struct term_painter *painter, const struct canvas *canvas,
                       const struct theme *theme);

/* Make the next term_painter_show() write all cells, and curses clear the terminal first. */
void term_painter_redraw(struct term_painter *painter);

#endif
