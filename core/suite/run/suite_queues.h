#ifndef CORE_SUITE_SUITE_QUEUES_H
#define CORE_SUITE_SUITE_QUEUES_H

#include "core/suite/run/suite_run_options.h"
#include "core/suite/suite.h"
#include "core/suite/suite_state.h"

/*
 * The queues in which tasks wait for their devices.  Arms that name the same device and worker
 * share a queue; with hosts, there is one on each of them.  Several tasks of a queue may run,
 * because models think while candidates of others are judged; the judges take turns on the device
 * (core/judge/device_turns.h).  Tasks of different devices run beside each other.
 *
 * Without a number of jobs a device has one task whose agent is built in, since such an agent does
 * not think, and many tasks whose agents do.
 */
struct suite_queues {
    const struct suite *suite;
    const struct suite_place *place;
    unsigned jobs; /* tasks that run at once on a device; 0: by their agents */
    unsigned most_thinkers;
    struct suite_queue *queues; /* of each host, by the index of the first arm with the device */
    size_t *queue_of;           /* of each arm, on the first host */
    size_t hosts;               /* at least 1 */
    bool *is_closed;            /* of each host: it gets no task */
    size_t first;               /* no task before this index waits */
    struct suite_duration *durations; /* of the sessions of each problem with each arm */
};

/* The place of a task that runs. */
struct suite_seat {
    size_t task, host; /* indices; the host's is 0 without hosts */
};

/* The suite and the options' place must outlive the queues. */
void suite_queues_open(struct suite_queues *queues, const struct suite *suite,
                       const struct suite_run_options *options);
void suite_queues_close(struct suite_queues *queues);

/*
 * Take a seat for the first task that waits for a device that has room.  A task goes to the host
 * with the fewest tasks, or to the one on which its session began while that is open.  False: there
 * is none.
 */
bool suite_queues_take(struct suite_queues *queues, const struct suite_state *state,
                       struct suite_seat *seat);

/*
 * A session of a task took so many minutes.  With SUITE_SHORTEST others are expected to take the
 * mean of those of the same problem and arm, or else of the problem.  A problem of which nothing is
 * known comes first, so that something is.
 */
void suite_queues_learn(struct suite_queues *queues, size_t task, double minutes);

/* A task waits again that began before. */
void suite_queues_return(struct suite_queues *queues, size_t task);

/* Give back the seat of a task. */
void suite_queues_give(struct suite_queues *queues, struct suite_seat seat);

/* Let no further task begin on a host; false if it is closed already. */
bool suite_queues_close_host(struct suite_queues *queues, size_t host);

#endif
