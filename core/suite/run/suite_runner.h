#ifndef CORE_SUITE_SUITE_RUNNER_H
#define CORE_SUITE_SUITE_RUNNER_H

#include "core/suite/run/suite_ledger.h"

/*
 * A runner starts the processes of a suite's tasks: on this machine (suite_processes.h), or by a
 * scheduler (slurm/slurm_runner.h). It reports to the ledger how tasks begin and end.
 */
struct suite_runner_ops {
    /* Make a runner that is ready to begin tasks; the ledger and the options must outlive it. */
    enum status (*open)(struct suite_ledger *ledger, const struct suite_run_options *options,
                        void **runner, struct error *err);
    /* Begin those waiting tasks that can begin now. */
    enum status (*begin)(void *runner, struct error *err);
    /* True while some task may still end without a decision of the engineer. */
    bool (*is_busy)(const void *runner);
    /* Begin no further task, and interrupt the running sessions, which can be resumed. */
    void (*interrupt)(void *runner, bool budget_is_spent);
    /* Let a task that had begun wait again. */
    void (*take_back)(void *runner, size_t task);
    /* End the processes that still run on this machine, and free the runner; takes NULL. */
    void (*close)(void *runner);
};

#endif
