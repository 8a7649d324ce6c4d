#ifndef CORE_SESSION_WORKER_WORKER_WATCHDOG_H
#define CORE_SESSION_WORKER_WORKER_WATCHDOG_H

#include <stdbool.h>

#include "core/system/loop.h"

/*
 * Finds a worker that hangs. While a worker works on a request, it sends a message every two
 * seconds (backends/outbox.h). If it is silent for longer than patience_us, it is stopped or
 * unreachable: silent() is called at once. If a worker on this machine stays silent for two more
 * such periods, hung() is called.
 *
 * hung() is never called for a worker on another machine. Such a worker may wait in a queue before
 * its first message, and a lost connection may come back; a second worker would then share its
 * device.
 */

/* All zeros watches nothing. Set the first group before the worker starts. */
struct worker_watchdog {
    struct loop *loop;
    int64_t patience_us;
    bool is_elsewhere;                          /* the worker runs on another machine */
    void (*silent)(void *data, bool is_silent); /* the worker fell silent, or sends again */
    void (*hung)(void *data);                   /* the caller is to end the worker */
    void *data;

    struct loop_timer timer;
    bool is_expecting; /* the worker was sent a request that it has not answered */
    bool has_spoken, is_silent;
};

/* Call it when a request is sent to the worker: a message is due from now on. */
void worker_watchdog_expect(struct worker_watchdog *watchdog);

/* Call it when the worker sent a message. */
void worker_watchdog_note_message(struct worker_watchdog *watchdog);

/* Call it when no message is due: the worker may be silent until worker_watchdog_expect(). */
void worker_watchdog_rest(struct worker_watchdog *watchdog);

/* Call it when the worker has ended, so that the watchdog can watch the next one. */
void worker_watchdog_reset(struct worker_watchdog *watchdog);

#endif
