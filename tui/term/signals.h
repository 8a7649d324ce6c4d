#ifndef TUI_TERM_SIGNALS_H
#define TUI_TERM_SIGNALS_H

#include <signal.h>

#include "core/system/loop.h"

/*
 * The signals TERM, HUP, INT, QUIT, WINCH, TSTP, CONT and CHLD as events of
 * the loop: the caller's thread blocks them and reads them from a signalfd.
 * A thread that a library started before then (OpenBLAS does, when it is
 * loaded) blocks nothing: what it gets is sent on to the caller's thread.
 * Children start with signals as usual (core/system/process.h).
 */

/* Called in the loop, with the number of the signal. */
typedef void signals_fn(void *data, int number);

enum { SIGNALS_COUNT = 8 };

struct signals {
    struct loop *loop;
    int fd;
    sigset_t old_mask;
    struct sigaction old_actions[SIGNALS_COUNT];
    signals_fn *call;
    void *data;
};

/* `signals` must stay where it is until signals_unwatch(). */
void signals_watch(struct signals *signals, struct loop *loop, signals_fn *call, void *data);
void signals_unwatch(struct signals *signals);

/* Stop here as SIGTSTP stops a program, until SIGCONT. */
void signals_stop(void);

#endif
