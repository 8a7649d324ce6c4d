#ifndef BACKENDS_OUTBOX_H
#define BACKENDS_OUTBOX_H

#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>

#include "core/base/json.h"

/*
 * What the worker says, a line of JSON each on its standard output, and, from a
 * thread of its own, a sign of life every other second while it works:
 * {"event": "alive"}.  However long something takes, whoever listens can tell a
 * worker that is at it from one that is stopped or out of reach.
 */
struct outbox {
    pthread_mutex_t lock; /* a line is written whole */
    pthread_t pulse;
    sem_t end;
    bool has_pulse;
    bool is_at_rest; /* nothing is left to be done */
    bool is_over;    /* nobody listens any more */
};

/* Say from now on that we live.  Stays where it is until outbox_close(). */
void outbox_open(struct outbox *outbox);
void outbox_close(struct outbox *outbox);

/* Whether there is nothing to do but wait for the next request: then we say nothing either. */
void outbox_rest(struct outbox *outbox, bool is_at_rest);

/* Takes the message. False: nobody listens. */
bool outbox_send(struct outbox *outbox, struct json *message);

#endif
