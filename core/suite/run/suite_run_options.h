#ifndef CORE_SUITE_SUITE_RUN_OPTIONS_H
#define CORE_SUITE_SUITE_RUN_OPTIONS_H

#include "core/session/state/event.h"
#include "core/suite/suite_place.h"

/* Options of the run of a suite (suite_run.h), and its listener. */

/*
 * The exit code of a task's process that ended because a step waits for the engineer.  Such a task
 * gives its device back and stays open.  When a decision is handed to its session
 * (handed_decision.h), it waits for the device again.
 */
enum { SUITE_EXIT_ASKS = 6 };

struct suite_run_listener {
    void (*recorded)(void *data, const struct event *event); /* an event is in the journal */
    /* a step of the task waits for the engineer; may be NULL */
    void (*asks)(void *data, size_t task);
    /* the run is over; err is NULL if it ended because no task is left that could begin */
    void (*ended)(void *data, const struct error *err);
    void *data;
    /* a line about a host or a scheduler; may be NULL */
    void (*notice)(void *data, const char *line);
};

struct suite_run_options {
    /*
     * tasks that run at once on each device, or in total on a scheduler; 0: it depends on their
     * agents (suite_queues.h)
     */
    unsigned jobs;
    const struct suite_place *place; /* borrowed; NULL: this machine */
};

#endif
