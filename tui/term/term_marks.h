#ifndef TUI_TERM_TERM_MARKS_H
#define TUI_TERM_TERM_MARKS_H

/*
 * The escape sequences before and after a frame, so that a terminal shows the complete frame at
 * once ("Synchronized Output", mode 2026: contour-terminal.org/vt-extensions/synchronized-output).
 *
 * terminfo names them in the extended capability Sync, which many entries lack. So they are also
 * written if TERM names a family of terminals that support them or, as ECMA-48 requires, ignore
 * unknown modes. For other terminals both are empty.
 */

enum { TERM_MARK_SIZE = 32 };

struct term_marks {
    char begin[TERM_MARK_SIZE], end[TERM_MARK_SIZE];
};

/* The marks of the terminal that curses has opened. */
struct term_marks term_marks_find(void);

#endif
