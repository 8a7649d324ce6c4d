#ifndef CORE_SUITE_SUITE_RUN_H
#define CORE_SUITE_SUITE_RUN_H

#include "core/suite/run/suite_run_options.h"
#include "core/suite/suite_store.h"
#include "core/system/loop.h"

/*
 * Runs the tasks of a suite.  The session of each task is a process of its own, `kforge suite task
 * SUITE NUMBER`, so that a crash costs one task, and so that a task runs alike from here and from a
 * cluster's scheduler.  The queues (suite_queues.h) say which task begins next.
 *
 * task.started is in the suite's journal before the process begins, with the id that its session
 * will have.  So after a kill at any moment it is known which sessions exist and are to be resumed.
 * Sessions of a scheduler's tasks have ids that are known without a journal
 * (suite_store_session()).
 */
struct suite_run;

/*
 * Begin, with suite.opened if the journal is empty.  Tasks that failed or were interrupted wait
 * again.  `store` is open for writing, and it, the loop and the options' place outlive the run.
 * ended() is called from the loop only.
 */
struct suite_run *suite_run_new(struct loop *loop, struct suite_store *store,
                                const struct suite_run_options *options,
                                const struct suite_run_listener *listener);

/*
 * Let no task begin, and end the sessions that run, which can be resumed; ended() follows.  Those
 * of a scheduler go on without the run.
 */
void suite_run_interrupt(struct suite_run *run);

/* End what still runs here and free the run; takes NULL. */
void suite_run_free(struct suite_run *run);

#endif
