#ifndef CORE_SUITE_SUITE_QUEUES_H
#define CORE_SUITE_SUITE_QUEUES_H

#include "core/suite/suite.h"
#include "core/suite/suite_state.h"

/*
 * The queues in which tasks wait for their devices.  Arms that name the same device and worker
 * share a queue.  Several tasks of a queue may run, because models think while candidates of others
 * are judged; the judges take turns on the device (core/judge/device_turns.h).  Tasks of different
 * devices run beside each other.
 *
 * Without a number of jobs a device has one task whose agent is built in, since such an agent does
 * not think, and many tasks whose agents do.
 */
struct suite_queues {
    const struct suite *suite;
    unsigned jobs; /* tasks that run at once on a device; 0: by their agents */
    unsigned most_thinkers;
    struct suite_queue *queues; /* by the index of the first arm with the same device */
    size_t *queue_of;           /* of each arm */
    size_t first;               /* no task before this index waits */
};

/* The suite must outlive the queues. */
void suite_queues_open(struct suite_queues *queues, const struct suite *suite, unsigned jobs);
void suite_queues_close(struct suite_queues *queues);

/*
 * Take a place at the device for the first task that waits for one that has room, and store its
 * index.  False: there is none.
 */
bool suite_queues_take(struct suite_queues *queues, const struct suite_state *state, size_t *task);

/* A task waits again that began before. */
void suite_queues_return(struct suite_queues *queues, size_t task);

/* Give back the place of a task. */
void suite_queues_give(struct suite_queues *queues, size_t task);

#endif
