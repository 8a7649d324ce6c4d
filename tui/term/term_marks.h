#ifndef TUI_TERM_TERM_MARKS_H
#define TUI_TERM_TERM_MARKS_H

/*
 * The escape sequences around a frame, so that a terminal shows it at once and not half drawn
 * ("Synchronized Output", mode 2026: contour-terminal.org/vt-extensions/synchronized-output).
 *
 * terminfo names them in the extended capability Sync, which many entries lack.  So they are also
 * written where TERM names a family of terminals that take them or, as ECMA-48 asks for, ignore
 * modes that they do not know.  Elsewhere both are empty.
 */

enum { TERM_MARK_SIZE = 32 };

struct term_marks {
    char begin[TERM_MARK_SIZE], end[TERM_MARK_SIZE];
};

/* The marks of the terminal that curses has opened. */
struct term_marks term_marks_find(void);

#endif
