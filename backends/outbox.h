#ifndef BACKENDS_OUTBOX_H
#define BACKENDS_OUTBOX_H

#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>

#include "core/base/json.h"

/*
 * The worker's messages, lines of JSON on its standard output.  While the worker is busy, a thread
 * adds {"event": "alive"} every 2 s, so that the reader can tell a busy worker from one that is
 * stopped or out of reach, however long a request takes.  If nobody reads them any more, the thread
 * ends the process after 10 s.
 */
struct outbox {
    pthread_mutex_t lock; /* held while a line is written, so that lines do not mix */
    pthread_t pulse;
    sem_t end;
    bool has_pulse;
    bool is_at_rest; /* the worker waits for a request: no signs of life */
    bool is_over;    /* a write has failed, because the reader is gone */
};

/* Start the thread.  The struct must not move until outbox_close(). */
void outbox_open(struct outbox *outbox);

/* End the thread, and wait for it. */
void outbox_close(struct outbox *outbox);

/* Set whether the worker only waits for the next request; no "alive" is then sent. */
void outbox_rest(struct outbox *outbox, bool is_at_rest);

/* Write a message, and free it.  False if the reader is gone. */
bool outbox_send(struct outbox *outbox, struct json *message);

#endif
