#ifndef CORE_SUITE_SUITE_QUEUES_H
#define CORE_SUITE_SUITE_QUEUES_H

#include "core/suite/suite.h"
#include "core/suite/suite_state.h"

/*
 * The queues in which tasks wait for their devices.  Arms that name the same device and worker
 * share a queue, and one task at a time has its device.  Tasks of different devices run beside
 * each other.
 */
struct suite_queues {
    const struct suite *suite;
    size_t *queue_of; /* of each arm: the index of the first arm with the same device */
    bool *is_taken;   /* of each queue */
    size_t first;     /* no task before this index waits */
};

/* The suite must outlive the queues. */
void suite_queues_open(struct suite_queues *queues, const struct suite *suite);
void suite_queues_close(struct suite_queues *queues);

/*
 * Take the device for the first task that waits for one that is free, and store its index.  False:
 * there is none.
 */
bool suite_queues_take(struct suite_queues *queues, const struct suite_state *state, size_t *task);

/* A task waits again that began before. */
void suite_queues_return(struct suite_queues *queues, size_t task);

/* Give back the device of a task. */
void suite_queues_give(struct suite_queues *queues, size_t task);

#endif
