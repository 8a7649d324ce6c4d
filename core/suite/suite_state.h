#ifndef CORE_SUITE_SUITE_STATE_H
#define CORE_SUITE_SUITE_STATE_H

#include "core/session/state/event.h"
#include "core/session/store/catalog.h"

/*
 * The state of a suite: the fold of the events in its journal.  The events within a task are in the
 * journal of the task's session.
 */

/* TASK_RUNS: the task has begun and has not ended.  After a kill no process may run it. */
enum task_phase { TASK_WAITS, TASK_RUNS, TASK_HAS_ENDED, TASK_HAS_FAILED };

struct task_state {
    enum task_phase phase;
    enum task_result result;       /* result of an ended task */
    char session[CATALOG_ID_SIZE]; /* "" if it never began */
    char *reason;                  /* why it failed, else NULL */
    /* the host on which it began last; NULL for the machine of the suite's process */
    char *host;
    /* begin and end of its last process, as from clock_read_stamp(); 0 if unknown */
    int64_t began_us, ended_us;
};

struct suite_state {
    char *id; /* NULL before suite.opened */
    struct task_state *tasks;
    size_t count;
    size_t in_phase[TASK_HAS_FAILED + 1]; /* the number of tasks in each phase */
    /* why no further task began; NULL if nothing stopped the suite */
    char *stopped;
    unsigned lists; /* the number of lists (array jobs) that were submitted */
};

/* Apply an event; STATUS_INVALID if it cannot follow the events before it. */
enum status suite_state_apply(struct suite_state *state, const struct event *event,
                              struct error *err) MUST_CHECK;

/* Let a task wait again that failed, or that no process runs any more; it keeps its session. */
void suite_state_retry(struct suite_state *state, size_t task);

/* Free the contents and leave it empty. */
void suite_state_release(struct suite_state *state);

#endif
