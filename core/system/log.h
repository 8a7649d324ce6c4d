#ifndef CORE_SYSTEM_LOG_H
#define CORE_SYSTEM_LOG_H

#include "core/base/attr.h"

/*
 * One line a message, with time, for the developer of kforge: the user reads
 * errors on the screen.  Nothing is written until log_open(); the log is one
 * of the two pieces of global state in the program.
 */

/* Append to `path` from now on; the parent folder must exist. */
void log_open(const char *path);

/* The log's descriptor, for children whose standard error belongs there; -1 when closed. */
int log_fd(void);

/*
 * Send standard error to the log, or nowhere while it is closed: drivers and
 * libraries write there when a screen is up.  Returns what it was, for
 * log_return_stderr().
 */
int log_take_stderr(void);
void log_return_stderr(int taken);

/* Append a line with its time; nothing where no log is open. */
void log_line(const char *fmt, ...) PRINTF_LIKE(1, 2);

#endif
