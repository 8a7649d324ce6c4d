#include "tui/term/crash_restore.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "core/base/array.h"

static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

enum { STACK_BYTES = 1 << 16 };

static struct {
    volatile sig_atomic_t is_armed;
    int fd;
    struct termios modes;
    char text[CRASH_RESTORE_MAX_BYTES];
    size_t len;
    char stack[STACK_BYTES]; /* after a stack overflow the handler needs another stack */
} crash;

/* SA_RESETHAND has removed the handler: raising the signal again ends the program. */
static void restore_and_die(int number)
{
    if (crash.is_armed) {
        ssize_t ignored = write(crash.fd, crash.text, crash.len);

        (void)ignored;
        tcsetattr(crash.fd, TCSANOW, &crash.modes);
    }
    raise(number);
}

void crash_restore_arm(int fd, const struct termios *modes, const char *text, size_t len)
{
    stack_t stack = {.ss_sp = crash.stack, .ss_size = sizeof(crash.stack)};
    struct sigaction action = {.sa_handler = restore_and_die,
                               .sa_flags = SA_ONSTACK | (int)SA_RESETHAND};

    crash.fd = fd;
    crash.modes = *modes;
    crash.len = len < sizeof(crash.text) ? len : sizeof(crash.text);
    memcpy(crash.text, text, crash.len);
    crash.is_armed = 1;
    sigaltstack(&stack, NULL);
    for (size_t i = 0; i < COUNT(faults); i++)
        sigaction(faults[i], &action, NULL);
}

void crash_restore_disarm(void)
{
    crash.is_armed = 0;
}
