#ifndef CORE_SUITE_SUITE_LEDGER_H
#define CORE_SUITE_SUITE_LEDGER_H

#include "core/suite/run/suite_asking.h"
#include "core/suite/run/suite_budget.h"
#include "core/suite/run/suite_run_options.h"

/*
 * The records of a suite that runs, whatever runs its tasks: how they begin and end, in the
 * suite's journal, and what they cost.  The runners (suite_runner.h) call it.
 */
struct suite_ledger {
    struct loop *loop;
    struct suite_store *store;
    struct suite_run_listener listener;
    struct suite_asking asking;
    struct suite_budget budget;
    bool is_stopping;            /* a process that ends now was interrupted, and has not failed */
    struct error failure;        /* of the journal or of a runner; code 0: none */
    void (*changed)(void *data); /* something was written: another task may begin */
    void *data;
};

/* Write that a task begins: with the session it has, or else with `session`.  NULL host: here. */
void suite_ledger_start(struct suite_ledger *ledger, size_t task, const char *session,
                        const char *host);

/* How the process of a task ended. */
struct task_exit {
    int code;           /* its exit code; -1: it has none */
    const char *reason; /* why it failed; NULL: the last error in the task's log says it */
};

/*
 * Write how a task ended, and count what it cost.  If its step waits for the engineer nothing is
 * written, and `asking` has it.
 */
void suite_ledger_end(struct suite_ledger *ledger, size_t task, const struct task_exit *how);

/* Write an event of the suite's journal and tell the listener of it. */
void suite_ledger_record(struct suite_ledger *ledger, enum event_type type, const void *data);

/* Tell the listener a line that is in no journal. */
void suite_ledger_tell(const struct suite_ledger *ledger, const char *fmt, ...) PRINTF_LIKE(2, 3);

#endif
