#ifndef TUI_TERM_TERM_PAINTER_H
#define TUI_TERM_TERM_PAINTER_H

#include "tui/term/canvas.h"
#include "tui/term/theme.h"

/*
 * Writes the cells of a canvas to the window of curses, those that changed only.  It keeps the
 * attributes and the pair of colours that each role has on each ground, because to find them takes
 * longer than to write a cell.
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
    int pair_count;                            /* pairs of curses that the looks take */
    struct canvas shown;
    bool is_stale; /* the terminal shows something else than `shown` */
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
