#ifndef CORE_SUITE_SUITE_QUEUES_H
#define CORE_SUITE_SUITE_QUEUES_H

#include "core/suite/run/suite_run_options.h"
#include "core/suite/suite.h"
#include "core/suite/suite_state.h"

/*
 * The queues in which tasks wait for their devices. Arms that name the same device and worker share
 * a queue; with `--on ssh:HOSTS` each host has its own queue for them. Several tasks of a queue may
 * run at once, because one task's model thinks while another task's candidate is judged; the judges
 * take turns on the device (core/judge/device_turns.h). Tasks of different devices run in parallel.
 *
 * Without `--jobs`, only one task with the built-in agent runs on a device at a time, because that
 * agent needs no time to think. Many tasks with models as agents run at the same time.
 */
struct suite_queues {
    const struct suite *suite;
    const struct suite_place *place;
    unsigned jobs; /* tasks that run at once on a device; 0: it depends on their agents */
    unsigned most_thinkers;
    /* indexed by host and, within it, by the first arm with the device */
    struct suite_queue *queues;
    size_t *queue_of;                 /* for each arm, the index of its queue on the first host */
    size_t hosts;                     /* at least 1 */
    bool *is_closed;                  /* for each host: it gets no further task */
    size_t first;                     /* no task before this index waits */
    struct suite_duration *durations; /* durations of the ended sessions of each problem and arm */
};

/* The place of a running task. */
struct suite_seat {
    size_t task, host; /* indices; host is 0 where tasks run on this machine */
};

/* The suite and `options->place` must outlive the queues. */
void suite_queues_open(struct suite_queues *queues, const struct suite *suite,
                       const struct suite_run_options *options);
void suite_queues_close(struct suite_queues *queues);

/*
 * Take a seat for the first waiting task whose device has room; false if there is none. A session
 * that has begun continues on its host while that host is open; other tasks go to the host with the
 * fewest tasks.
 */
bool suite_queues_take(struct suite_queues *queues, const struct suite_state *state,
                       struct suite_seat *seat);

/*
 * Record how many minutes the session of a task took.  SUITE_SHORTEST estimates a task by the mean
 * of the ended sessions of its problem and arm, or else of its problem.  Problems without an ended
 * session come first, so that they get an estimate.
 */
void suite_queues_learn(struct suite_queues *queues, size_t task, double minutes);

/* Let a task that had begun wait again. */
void suite_queues_return(struct suite_queues *queues, size_t task);

/* Give back the seat of a task. */
void suite_queues_give(struct suite_queues *queues, struct suite_seat seat);

/* Let no further task begin on a host; false if it is closed already. */
bool suite_queues_close_host(struct suite_queues *queues, size_t host);

#endif
