#ifndef CORE_SESSION_WORKER_WORKER_WATCHDOG_H
#define CORE_SESSION_WORKER_WORKER_WATCHDOG_H

#include <stdbool.h>

#include "core/system/loop.h"

/*
 * Finds a worker that hangs.  A worker at work sends a message every other second
 * (backends/outbox.h); one that was sent a request and is silent for longer than the patience is
 * stopped or unreachable.  The listener is told at once.  If the worker stays silent for twice the
 * patience more and runs on this machine, it is ended.
 *
 * A worker elsewhere is never given up.  It may wait in a queue before its first message, and a
 * lost connection may come back; a second worker would then share its device.
 */

/* All zeros watches nothing. Set the first group before the worker starts. */
struct worker_watchdog {
    struct loop *loop;
    int64_t patience_us;
    bool is_elsewhere;                          /* the worker runs on another machine */
    void (*silent)(void *data, bool is_silent); /* the worker fell silent, or sends again */
    void (*hung)(void *data);                   /* the worker is to be ended */
    void *data;

    struct loop_timer timer;
    bool is_expecting; /* the worker was sent a request that it has not answered */
    bool was_heard, is_silent;
};

/* The worker was sent a request, so that a message is due. */
void worker_watchdog_expect(struct worker_watchdog *watchdog);

/* The worker sent a message. */
void worker_watchdog_hear(struct worker_watchdog *watchdog);

/* The worker has answered, or need not: it may be silent until worker_watchdog_expect(). */
void worker_watchdog_rest(struct worker_watchdog *watchdog);

/* The worker has ended; the watchdog is ready for the next one. */
void worker_watchdog_reset(struct worker_watchdog *watchdog);

#endif
