#ifndef CORE_SYSTEM_LOG_H
#define CORE_SYSTEM_LOG_H

#include <stdint.h>

#include "core/base/attr.h"

/*
 * The log for kforge's developers, one line with a time stamp per message; users see errors on the
 * screen. Nothing is written before log_open(). The log is one of the two pieces of global state in
 * the program.
 */

/* Append to the file `path` from now on; its folder must exist. */
void log_open(const char *path);

/* The log's descriptor, for children that write their standard error to the log; -1 when closed. */
int log_fd(void);

/*
 * Redirect standard error to the log, or to /dev/null while the log is closed: drivers and
 * libraries print there while a screen is up. Returns the old descriptor, for log_return_stderr().
 */
int log_take_stderr(void);
void log_return_stderr(int taken);

/* Append a line with a time stamp and the process; nothing while no log is open. */
void log_line(const char *fmt, ...) PRINTF_LIKE(1, 2);

/* Append how long `what` took that began at `began_us` (clock.h), unless that is below 20 ms. */
void log_long(const char *what, int64_t began_us);

#endif
