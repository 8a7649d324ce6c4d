#ifndef TUI_TERM_CRASH_RESTORE_H
#define TUI_TERM_CRASH_RESTORE_H

#include <stddef.h>
#include <termios.h>

/*
 * The terminal as it was, kept ready for the moment when the program dies of
 * a fault (SEGV, BUS, FPE, ILL, ABRT): the signal handler can write a
 * prepared text and set the modes, and nothing else.  This is the signal
 * handler's state, and for that reason global.
 */

enum { CRASH_RESTORE_MAX_BYTES = 256 };

/* From now on a fault writes `text` to `fd` and sets `modes`, and then takes its course. */
void crash_restore_arm(int fd, const struct termios *modes, const char *text, size_t len);

/* The terminal is in order: a fault leaves it alone. */
void crash_restore_disarm(void);

#endif
