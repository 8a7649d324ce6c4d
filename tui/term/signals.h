#ifndef TUI_TERM_SIGNALS_H
#define TUI_TERM_SIGNALS_H

#include <signal.h>

#include "core/system/loop.h"

/*
 * The signals TERM, HUP, INT, QUIT, WINCH, TSTP, CONT and CHLD as events of the loop.  The caller's
 * thread blocks them and reads them from a signalfd.  Threads that a library started earlier
 * (OpenBLAS starts some when it is loaded) do not block them: their handler forwards each signal to
 * the caller's thread.  Children start with the default handling (core/system/process.h).
 */

/* Called from the loop, with the number of the signal. */
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

/* Watch the signals until signals_unwatch(); `signals` must not move meanwhile. */
void signals_watch(struct signals *signals, struct loop *loop, signals_fn *call, void *data);
void signals_unwatch(struct signals *signals);

/* Stop the program, as SIGTSTP does by default; return after SIGCONT. */
void signals_stop(void);

#endif
