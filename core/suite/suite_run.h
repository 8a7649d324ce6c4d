#ifndef CORE_SUITE_SUITE_RUN_H
#define CORE_SUITE_SUITE_RUN_H

#include "core/session/state/event.h"
#include "core/suite/suite_store.h"
#include "core/system/loop.h"

/*
 * Runs the tasks of a suite.  The session of each task is a process of its own, `kforge suite task
 * SUITE NUMBER PID`, so that a crash costs one task, and so that a task runs alike from here and
 * from a cluster's scheduler.  The queues (suite_queues.h) say which task begins next.
 *
 * task.started is in the suite's journal before the process begins, with the id that its session
 * will have.  So after a kill at any moment it is known which sessions exist and are to be resumed.
 */
struct suite_run;

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
};

/*
 * Begin, with suite.opened if the journal is empty.  Tasks that failed or were interrupted wait
 * again.  `jobs` tasks run at once on each device; 0: by their agents (suite_queues.h).  `store` is
 * open for writing, and it and the loop outlive the run.  ended() is called from the loop only.
 */
struct suite_run *suite_run_new(struct loop *loop, struct suite_store *store, unsigned jobs,
                                const struct suite_run_listener *listener);

/* Let no task begin, and end the sessions that run, which can be resumed; ended() follows. */
void suite_run_interrupt(struct suite_run *run);

/* End what still runs and free the run; takes NULL. */
void suite_run_free(struct suite_run *run);

#endif
