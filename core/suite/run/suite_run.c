#include "core/suite/run/suite_run.h"

#include <stdlib.h>

#include "core/base/mem.h"
#include "core/session/store/process_lease.h"
#include "core/suite/run/suite_processes.h"
#include "core/suite/run/suite_runner.h"
#include "core/suite/slurm/slurm_runner.h"
#include "core/system/shared_folder.h"

/*
 * The interval at which a running suite checks its budget and looks for decisions from other
 * machines, and the number of journals that it reads each time.  The interval is longer for a
 * folder that the nodes of a cluster share.
 */
static const int64_t look_us = 2000000, slurm_look_us = 30000000;
enum { MOST_READ_AT_ONCE = 64 };

struct suite_run {
    struct suite_ledger ledger;
    struct suite_run_options options;
    const struct suite_runner_ops *runner_ops;
    void *runner; /* NULL before the first turn */
    struct loop_timer turn, look, lease;
    /* no further task begins, and the running ones are told to end */
    bool is_interrupted, is_spent;
    bool is_shared;   /* other machines may write to the suite's folder */
    size_t looked_at; /* the task whose journal is read next for the budget */
    char spent[SUITE_BUDGET_REASON];
};

static void take_turn(void *data);

static void schedule(void *data)
{
    struct suite_run *run = data;

    loop_set_timer(run->ledger.loop, &run->turn, 0, take_turn, run);
}

static void conclude(struct suite_run *run)
{
    const struct suite_run_listener *listener = &run->ledger.listener;
    const struct suite_stopped stopped = {run->is_spent ? run->spent : "interrupted"};

    if (run->is_interrupted || run->is_spent)
        suite_ledger_record(&run->ledger, EVENT_SUITE_STOPPED, &stopped);
    loop_clear_timer(run->ledger.loop, &run->turn);
    loop_clear_timer(run->ledger.loop, &run->look);
    loop_clear_timer(run->ledger.loop, &run->lease);
    listener->ended(listener->data, run->ledger.failure.code ? &run->ledger.failure : NULL);
}

static void stop(struct suite_run *run)
{
    run->ledger.is_stopping = true;
    if (run->runner)
        run->runner_ops->interrupt(run->runner, run->is_spent);
}

/*
 * Stop when the sessions have used up the budget.  Interrupted sessions can be resumed with a
 * larger budget.
 */
static void check_budget(struct suite_run *run)
{
    const struct suite_state *state = &run->ledger.store->state;
    bool has_work = state->in_phase[TASK_RUNS] || state->in_phase[TASK_WAITS];

    if (run->is_spent || !has_work || !suite_budget_is_spent(&run->ledger.budget, run->spent))
        return;
    run->is_spent = true;
    stop(run);
}

/* Read what some of the running sessions have used; the next call reads the others. */
static void count_uses(struct suite_run *run)
{
    const struct suite_state *state = &run->ledger.store->state;
    size_t left = MOST_READ_AT_ONCE;

    for (size_t i = 0; i < state->count && left; i++) {
        run->looked_at = (run->looked_at + 1) % state->count;
        if (state->tasks[run->looked_at].phase != TASK_RUNS)
            continue;
        suite_budget_count(&run->ledger.budget, run->looked_at);
        left--;
    }
}

static void look(void *data);

static void plan_look(struct suite_run *run)
{
    bool is_slurm = run->options.place && run->options.place->kind == PLACE_SLURM;
    bool awaits_elsewhere = run->is_shared && run->ledger.asking.tasks.count;

    if (run->ledger.budget.uses || awaits_elsewhere || is_slurm)
        loop_set_timer(run->ledger.loop, &run->look,
                       awaits_elsewhere ? SHARED_FOLDER_LOOK_US
                       : is_slurm       ? slurm_look_us
                                        : look_us,
                       look, run);
}

static void look(void *data)
{
    struct suite_run *run = data;

    suite_asking_look(&run->ledger.asking);
    if (run->is_shared)
        suite_asking_look_at_journals(&run->ledger.asking);
    count_uses(run);
    check_budget(run);
    if (run->is_spent)
        schedule(run);
    else
        plan_look(run);
}

static enum status begin(struct suite_run *run)
{
    struct error *failure = &run->ledger.failure;
    enum status st = STATUS_OK;

    if (!run->runner)
        st = run->runner_ops->open(&run->ledger, &run->options, &run->runner, failure);
    return st ? st : run->runner_ops->begin(run->runner, failure);
}

/*
 * True if the process stays although no task runs: a decision of another machine can only be found
 * by looking, and that machine may lack the device.
 */
static bool awaits_decisions(const struct suite_run *run)
{
    return run->is_shared && run->ledger.asking.tasks.count > 0 && !run->is_interrupted &&
           !run->is_spent && !run->ledger.failure.code;
}

/* Begin as many tasks as there is room for; conclude when none runs and none can begin. */
static void take_turn(void *data)
{
    struct suite_run *run = data;
    bool is_over;

    check_budget(run);
    if (!run->is_interrupted && !run->is_spent && !run->ledger.failure.code)
        begin(run);
    if (run->ledger.failure.code && !run->is_interrupted)
        suite_run_interrupt(run);
    is_over = (!run->runner || !run->runner_ops->is_busy(run->runner)) && !awaits_decisions(run);
    if (is_over)
        conclude(run);
    else if (!run->look.is_set && !run->is_spent)
        plan_look(run);
}

static void on_decision(void *data, size_t task)
{
    struct suite_run *run = data;

    suite_state_retry(&run->ledger.store->state, task);
    run->runner_ops->take_back(run->runner, task);
    schedule(run);
}

/* On a shared file system: tell other machines that this process lives. */
static void renew_lease(void *data)
{
    struct suite_run *run = data;
    struct error *failure = &run->ledger.failure;

    if (!failure->code && process_lease_renew(run->ledger.store->folder, "the suite", failure))
        schedule(run);
    else
        loop_set_timer(run->ledger.loop, &run->lease, SHARED_FOLDER_LOOK_US, renew_lease, run);
}

static void record_opening(struct suite_run *run)
{
    const struct suite_store *store = run->ledger.store;
    const struct suite_opened opened = {store->id, store->suite.name,
                                        (unsigned)suite_task_count(&store->suite)};

    suite_ledger_record(&run->ledger, EVENT_SUITE_OPENED, &opened);
}

struct suite_run *suite_run_new(struct loop *loop, struct suite_store *store,
                                const struct suite_run_options *options,
                                const struct suite_run_listener *listener)
{
    struct suite_run *run = mem_alloc_zeroed(1, sizeof(*run));
    bool is_slurm = options->place && options->place->kind == PLACE_SLURM;

    run->options = *options;
    run->runner_ops = is_slurm ? &slurm_runner_ops : &suite_processes_ops;
    run->ledger = (struct suite_ledger){
        .loop = loop,
        .store = store,
        .listener = *listener,
        .asking = {.loop = loop, .store = store, .decided = on_decision, .data = run},
        .changed = schedule,
        .data = run};
    run->is_shared = shared_folder_is(store->folder);
    if (run->is_shared)
        loop_set_timer(loop, &run->lease, SHARED_FOLDER_LOOK_US, renew_lease, run);
    suite_budget_open(&run->ledger.budget, store);
    if (!store->state.id)
        record_opening(run);
    for (size_t i = 0; i < store->state.count; i++) {
        enum task_phase phase = store->state.tasks[i].phase;

        if (phase == TASK_RUNS || phase == TASK_HAS_FAILED)
            suite_state_retry(&store->state, i);
        suite_budget_count(&run->ledger.budget, i);
    }
    schedule(run);
    return run;
}

void suite_run_interrupt(struct suite_run *run)
{
    run->is_interrupted = true;
    stop(run);
    schedule(run);
}

void suite_run_free(struct suite_run *run)
{
    if (!run)
        return;
    loop_clear_timer(run->ledger.loop, &run->turn);
    loop_clear_timer(run->ledger.loop, &run->look);
    loop_clear_timer(run->ledger.loop, &run->lease);
    run->runner_ops->close(run->runner);
    suite_asking_release(&run->ledger.asking);
    suite_budget_close(&run->ledger.budget);
    free(run);
}
