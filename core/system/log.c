#include "core/system/log.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "core/system/clock.h"

static int log_descriptor = -1;

void log_open(const char *path)
{
    if (log_descriptor >= 0)
        close(log_descriptor);
    log_descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

int log_fd(void)
{
    return log_descriptor;
}

int log_take_stderr(void)
{
    int taken = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);

    dup2(log_descriptor >= 0 ? log_descriptor : nowhere, STDERR_FILENO);
    close(nowhere);
    return taken;
}

void log_return_stderr(int taken)
{
    dup2(taken, STDERR_FILENO);
    close(taken);
}

void log_line(const char *fmt, ...)
{
    char stamp[CLOCK_STAMP_SIZE];
    va_list args;

    if (log_descriptor < 0)
        return;
    clock_stamp(stamp);
    dprintf(log_descriptor, "%s %d ", stamp, (int)getpid());
    va_start(args, fmt);
    vdprintf(log_descriptor, fmt, args);
    va_end(args);
    dprintf(log_descriptor, "\n");
}

enum { LONG_US = 20000 };

void log_long(const char *what, int64_t began_us)
{
    int64_t us = clock_now_us() - began_us;

    if (us >= LONG_US)
        log_line("%s: %.3f s", what, (double)us * 1e-6);
}
