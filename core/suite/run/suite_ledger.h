#ifndef CORE_SUITE_SUITE_LEDGER_H
#define CORE_SUITE_SUITE_LEDGER_H

#include "core/suite/run/suite_asking.h"
#include "core/suite/run/suite_budget.h"
#include "core/suite/run/suite_run_options.h"

/*
 * Records of a suite that runs: it writes into the suite's journal how tasks begin and end, and
 * counts what they cost.  Every runner (suite_runner.h) calls it, so that all keep the same
 * records.
 */
struct suite_ledger {
    struct loop *loop;
    struct suite_store *store;
    struct suite_run_listener listener;
    struct suite_asking asking;
    struct suite_budget budget;
    /* the suite is stopping: a process that ends now was interrupted and has not failed */
    bool is_stopping;
    /* an error of the journal or of a runner; code 0 if there is none */
    struct error failure;
    /* called after an event was written, because another task may be able to begin */
    void (*changed)(void *data);
    void *data;
};

/*
 * Write that a task begins. A task that already has a session keeps it; otherwise its session is
 * `session`. `host` is NULL on this machine.
 */
void suite_ledger_start(struct suite_ledger *ledger, size_t task, const char *session,
                        const char *host);

/* How the process of a task ended. */
struct task_exit {
    int code;           /* its exit code; -1 if it has none, as after a signal */
    const char *reason; /* why it failed; NULL to take the last error in the task's log */
};

/*
 * Write how a task ended, and count what it cost.  If its step waits for the engineer, nothing is
 * written and the task is added to `asking`.
 */
void suite_ledger_end(struct suite_ledger *ledger, size_t task, const struct task_exit *how);

/* Write an event into the suite's journal and pass it to the listener. */
void suite_ledger_record(struct suite_ledger *ledger, enum event_type type, const void *data);

/* Pass a line to the listener that is not written into the journal. */
void suite_ledger_notice(const struct suite_ledger *ledger, const char *fmt, ...) PRINTF_LIKE(2, 3);

#endif
