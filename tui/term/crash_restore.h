#ifndef TUI_TERM_CRASH_RESTORE_H
#define TUI_TERM_CRASH_RESTORE_H

#include <stddef.h>
#include <termios.h>

/*
 * Restores the terminal when a fault ends the program (SEGV, BUS, FPE, ILL, ABRT). A signal handler
 * can do no more than write a prepared text and set the terminal's modes, so both are prepared
 * here. A signal handler has no argument, so this state is global.
 */

enum { CRASH_RESTORE_MAX_BYTES = 256 };

/*
 * From now on a fault writes `text` to `fd` and sets `modes` before it ends the program.  `text` is
 * copied, cut at CRASH_RESTORE_MAX_BYTES.
 */
void crash_restore_arm(int fd, const struct termios *modes, const char *text, size_t len);

/* From now on a fault does not touch the terminal, which has already been restored. */
void crash_restore_disarm(void);

#endif
