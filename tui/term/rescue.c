#include "tui/term/rescue.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

enum { STACK_BYTES = 1 << 16 };

static struct {
    volatile sig_atomic_t is_armed;
    int fd;
    struct termios modes;
    char text[RESCUE_MAX_BYTES];
    size_t len;
    char stack[STACK_BYTES]; /* a handler of stack overflow needs another stack */
} rescue;

/* The handler is gone by now (SA_RESETHAND): raising the signal again ends the program. */
static void restore_and_die(int number)
{
    if (rescue.is_armed) {
        ssize_t ignored = write(rescue.fd, rescue.text, rescue.len);

        (void)ignored;
        tcsetattr(rescue.fd, TCSANOW, &rescue.modes);
    }
    raise(number);
}

void rescue_arm(int fd, const struct termios *modes, const char *text, size_t len)
{
    stack_t stack = {.ss_sp = rescue.stack, .ss_size = sizeof(rescue.stack)};
    struct sigaction action = {.sa_handler = restore_and_die,
                               .sa_flags = SA_ONSTACK | (int)SA_RESETHAND};

    rescue.fd = fd;
    rescue.modes = *modes;
    rescue.len = len < sizeof(rescue.text) ? len : sizeof(rescue.text);
    memcpy(rescue.text, text, rescue.len);
    rescue.is_armed = 1;
    sigaltstack(&stack, NULL);
    for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
        sigaction(faults[i], &action, NULL);
}

void rescue_disarm(void)
{
    rescue.is_armed = 0;
}
