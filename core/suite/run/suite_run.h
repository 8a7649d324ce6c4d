#ifndef CORE_SUITE_SUITE_RUN_H
#define CORE_SUITE_SUITE_RUN_H

#include "core/suite/run/suite_run_options.h"
#include "core/suite/suite_store.h"
#include "core/system/loop.h"

/*
 * Runs the tasks of a suite. Each task runs in a separate process, `kforge suite task SUITE
 * NUMBER`, so that a crash ends only one task, and a cluster's scheduler can start a task in the
 * same way. The queues (suite_queues.h) choose the next task.
 *
 * The event task.started is written before the process begins, with the id that its session will
 * have. So after a kill at any moment the journal tells which sessions may exist and are to be
 * resumed. The session ids of a scheduler's tasks follow from the suite's id
 * (suite_store_session()).
 */
struct suite_run;

/*
 * Begin the run; write suite.opened if the journal is empty.  Tasks that failed or were interrupted
 * wait again.  `store` is open for writing; `store`, `loop` and `options->place` must outlive the
 * run. ended() is called from the loop only.
 */
struct suite_run *suite_run_new(struct loop *loop, struct suite_store *store,
                                const struct suite_run_options *options,
                                const struct suite_run_listener *listener);

/*
 * Begin no further task and interrupt the running sessions, which can be resumed; ended() follows.
 * Tasks of a scheduler continue without the run.
 */
void suite_run_interrupt(struct suite_run *run);

/* End the processes that still run on this machine, and free the run; takes NULL. */
void suite_run_free(struct suite_run *run);

#endif
