#ifndef CORE_SUITE_SUITE_STATE_H
#define CORE_SUITE_SUITE_STATE_H

#include "core/session/state/event.h"
#include "core/session/store/catalog.h"

/*
 * The state of a suite: the fold of its journal's events.  What happens within a task is in the
 * journal of its session.
 */

/* A task that runs has a session that may not be at its end; after a kill nothing runs it. */
enum task_phase { TASK_WAITS, TASK_RUNS, TASK_HAS_ENDED, TASK_HAS_FAILED };

struct task_state {
    enum task_phase phase;
    enum task_result result;       /* of one that has ended */
    char session[CATALOG_ID_SIZE]; /* "": it never began */
    char *reason;                  /* of one that has failed; NULL else */
    char *host;                    /* on which it began last; NULL: the machine of the suite */
    int64_t began_us, ended_us;    /* its last process, as clock_read_stamp(); 0: unknown */
};

struct suite_state {
    char *id; /* NULL before suite.opened */
    struct task_state *tasks;
    size_t count;
    size_t in_phase[TASK_HAS_FAILED + 1]; /* tasks in each phase */
    char *stopped;                        /* why no further task began; NULL: nothing stopped it */
    unsigned lists;                       /* of array jobs that were submitted */
};

/* Apply an event; STATUS_INVALID if it cannot follow. */
enum status suite_state_apply(struct suite_state *state, const struct event *event,
                              struct error *err) MUST_CHECK;

/* Make a task that failed, or that nothing runs any more, wait again, with its session. */
void suite_state_retry(struct suite_state *state, size_t task);

/* Free the contents and leave it empty. */
void suite_state_release(struct suite_state *state);

#endif
