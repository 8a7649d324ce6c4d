#ifndef CORE_SUITE_SUITE_RUN_OPTIONS_H
#define CORE_SUITE_SUITE_RUN_OPTIONS_H

#include "core/session/state/event.h"
#include "core/suite/suite_place.h"

/* Options of the run of a suite (suite_run.h), and the listener that it tells. */

/*
 * The exit code of a task's process that left its session because a step waits for the engineer.
 * The task gives its device back and stays open; when a decision is handed to its session
 * (handed_decision.h), it waits for the device again.
 */
enum { SUITE_EXIT_ASKS = 6 };

struct suite_run_listener {
    void (*recorded)(void *data, const struct event *event); /* is in the journal */
    void (*asks)(void *data, size_t task);                   /* a step waits; may be NULL */
    void (*ended)(void *data, const struct error *err);      /* err NULL: no task can begin */
    void *data;
    void (*told)(void *data, const char *line); /* of hosts and schedulers; may be NULL */
};

struct suite_run_options {
    unsigned jobs;                   /* tasks that run at once on each device, or in all on a
                                        scheduler; 0: by their agents (suite_queues.h) */
    const struct suite_place *place; /* borrowed; NULL: here */
};

#endif
