#ifndef CORE_SUITE_SUITE_RUNNER_H
#define CORE_SUITE_SUITE_RUNNER_H

#include "core/suite/run/suite_ledger.h"

/*
 * The runner of the processes of a suite's tasks: this machine (suite_processes.h), or a scheduler
 * (slurm/slurm_runner.h).  A runner writes into the ledger how tasks begin and end.
 */
struct suite_runner_ops {
    /* Ready to begin; the ledger and the options outlive the runner. */
    enum status (*open)(struct suite_ledger *ledger, const struct suite_run_options *options,
                        void **runner, struct error *err);
    /* Begin the waiting tasks that can begin now. */
    enum status (*begin)(void *runner, struct error *err);
    /* True if a task may end without a decision of the engineer. */
    bool (*is_busy)(const void *runner);
    /* Begin none any more; the sessions that run are to end, and can be resumed. */
    void (*interrupt)(void *runner, bool budget_is_spent);
    /* A task that began before waits again. */
    void (*take_back)(void *runner, size_t task);
    /* End what still runs here, and free the runner; takes NULL. */
    void (*close)(void *runner);
};

#endif
