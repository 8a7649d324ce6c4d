#include "core/suite/slurm/slurm_runner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/base/vec.h"
#include "core/suite/slurm/slurm_command.h"
#include "core/suite/slurm/slurm_lists.h"
#include "core/suite/slurm/slurm_queue.h"
#include "core/suite/slurm/slurm_submission.h"
#include "core/suite/task_record.h"

/* The shortest and the longest pause between two calls of squeue. */
static const int64_t first_pause_us = 500000, longest_pause_us = 30000000;

/*
 * The time to wait for the record of a task that has left the queue.  A record may appear late: an
 * NFS client caches the contents of a folder for up to a minute (nfs(5), acdirmax).
 */
static const int64_t patience_us = 90000000;

/* How often a task is submitted again that a signal interrupted although nobody cancelled it. */
enum { MOST_REPEATED = 3, EXIT_INTERRUPTED = 130 };

/* The state of a task that was submitted to Slurm and has not ended. */
struct slot {
    unsigned list; /* the latest list with this task; 0 if none has it */
    enum slurm_state state;
    bool is_open;      /* it is in the queue, or its end is not yet known */
    bool is_seen;      /* the present call of squeue has listed it */
    int64_t silent_us; /* when it left the queue without a record; 0 if it has not */
    unsigned repeated; /* how often it was submitted again, see hand_over_again() */
    char host[64];
};

struct slurm_runner {
    struct suite_ledger *ledger;
    const struct suite_run_options *options;
    struct slurm_lists lists;
    struct slot *slots; /* one for each task */
    size_t open;        /* the number of slots with is_open */
    struct slurm_command queue;
    struct loop_timer next_look;
    int64_t pause_us;
    /* Slurm refused a further job; the runner tries again when tasks have ended */
    bool is_refused;
    bool is_detached; /* the jobs continue, but this process no longer follows them */
    bool is_unknown;  /* the last call of squeue failed */
};

static void plan_look(struct slurm_runner *runner);

static void describe(const struct slurm_runner *runner, size_t task, struct strbuf *out)
{
    const struct suite *suite = &runner->ledger->store->suite;
    struct suite_task at = suite_task_at(suite, task);

    suite_add_label(suite, at.problem, out);
    strbuf_addf(out, ", %s, repeat %u", suite->arms.items[at.arm].name, at.repeat + 1);
}

static void begin_slot(struct slurm_runner *runner, size_t task)
{
    char session[CATALOG_ID_SIZE];
    const char *host = runner->slots[task].host;

    suite_store_session(runner->ledger->store, task, session);
    suite_ledger_start(runner->ledger, task, session, host[0] ? host : NULL);
}

static void close_slot(struct slurm_runner *runner, size_t task)
{
    struct slot *slot = &runner->slots[task];

    runner->open -= slot->is_open;
    *slot = (struct slot){.list = slot->list, .repeated = slot->repeated};
    runner->is_refused = false;
}

/*
 * Write the end of a task that has left the queue.  A task that was never seen running gets
 * task.started first, unless it was cancelled with the suite.
 */
static void end_slot(struct slurm_runner *runner, size_t task, const struct task_exit *how)
{
    struct suite_ledger *ledger = runner->ledger;
    bool is_known = ledger->store->state.tasks[task].phase == TASK_RUNS;

    if (!is_known && !ledger->is_stopping)
        begin_slot(runner, task);
    close_slot(runner, task);
    if (!ledger->failure.code && (is_known || !ledger->is_stopping))
        suite_ledger_end(ledger, task, how);
}

/*
 * Write the end of a task from its record; false if the record has no end.  In a resumed suite, an
 * interrupted task counts as not ended.
 */
static bool end_by_record(struct slurm_runner *runner, size_t task, bool is_resumed)
{
    struct slot *slot = &runner->slots[task];
    struct task_record record;
    struct task_exit how = {0};
    bool has_ended;

    if (task_record_read(runner->ledger->store, task, &record, NULL))
        return false;
    has_ended = record.ended && !(is_resumed && record.exit == EXIT_INTERRUPTED);
    if (record.exit == EXIT_INTERRUPTED)
        how.reason = "was interrupted: kforge suite resume goes on with its session";
    how.code = (int)record.exit;
    snprintf(slot->host, sizeof(slot->host), "%s", record.host ? record.host : "");
    task_record_release(&record);
    if (has_ended)
        end_slot(runner, task, &how);
    return has_ended;
}

/*
 * Submit a task again that a signal interrupted while Slurm reports a normal end.  This happens
 * when the signal was meant for an earlier run, before a node failure, or came from an
 * administrator.
 */
static bool hand_over_again(struct slurm_runner *runner, size_t task,
                            const struct slurm_element *element)
{
    struct slot *slot = &runner->slots[task];
    struct suite_ledger *ledger = runner->ledger;
    struct task_record record;
    struct strbuf text = {0};
    bool is_interrupted;

    if (element->state != SLURM_ENDED || slot->repeated >= MOST_REPEATED || ledger->is_stopping ||
        task_record_read(ledger->store, task, &record, NULL))
        return false;
    is_interrupted = record.ended && record.exit == EXIT_INTERRUPTED;
    task_record_release(&record);
    if (!is_interrupted)
        return false;
    describe(runner, task, &text);
    suite_ledger_notice(ledger,
                        "%s: was interrupted, though nobody cancelled it: it is submitted again",
                        strbuf_cstr(&text));
    strbuf_release(&text);
    if (ledger->store->state.tasks[task].phase == TASK_RUNS)
        suite_state_retry(&ledger->store->state, task);
    slot->repeated++;
    close_slot(runner, task);
    return true;
}

/*
 * Collect the result of a task that has left the queue, or has ended there in the state of
 * `element`.
 */
static void collect(struct slurm_runner *runner, size_t task, const struct slurm_element *element)
{
    struct slot *slot = &runner->slots[task];
    bool is_stopped = element->state == SLURM_STOPPED;
    struct strbuf reason = {0};
    struct task_exit how = {.code = -1};

    if (!slot->silent_us)
        slot->silent_us = clock_now_us();
    if (hand_over_again(runner, task, element) || end_by_record(runner, task, false))
        return;
    if (!is_stopped && clock_now_us() - slot->silent_us < patience_us)
        return;
    strbuf_addf(&reason, "Slurm's job %s on %s without a record of the task: see jobs/%u.log",
                element->name[0] ? element->name : "left the queue",
                slot->host[0] ? slot->host : "a node", slot->list);
    if (is_stopped) {
        reason.len = 0;
        strbuf_addf(&reason, "Slurm ended it on %s: %s", slot->host[0] ? slot->host : "no node",
                    element->name);
    }
    how.reason = strbuf_cstr(&reason);
    end_slot(runner, task, &how);
    strbuf_release(&reason);
}

/* Tell that a task that ran waits again: it was requeued or preempted, or its node died. */
static void report_requeued(const struct slurm_runner *runner, size_t task,
                            const struct slurm_element *element)
{
    const struct slot *slot = &runner->slots[task];
    struct strbuf text = {0};

    describe(runner, task, &text);
    strbuf_addf(&text, ": Slurm requeued it from %s (%s); its session goes on when it runs again",
                slot->host[0] ? slot->host : "its node", element->reason);
    suite_ledger_notice(runner->ledger, "%s", strbuf_cstr(&text));
    strbuf_release(&text);
}

static void on_runs(struct slurm_runner *runner, size_t task, const struct slurm_element *element)
{
    struct slot *slot = &runner->slots[task];
    bool is_new = slot->state != SLURM_RUNS || strcmp(slot->host, element->host) != 0;

    snprintf(slot->host, sizeof(slot->host), "%s", element->host);
    slot->state = SLURM_RUNS;
    if (is_new)
        begin_slot(runner, task);
}

static void on_element(struct slurm_runner *runner, const struct slurm_element *element)
{
    size_t task = slurm_lists_task(&runner->lists, element->list, element->index);
    bool is_live = element->state == SLURM_WAITS || element->state == SLURM_RUNS;
    struct slot *slot;

    if (task >= runner->ledger->store->state.count)
        return;
    slot = &runner->slots[task];
    if (element->list < slot->list || (!slot->is_open && !is_live))
        return;
    runner->open += !slot->is_open;
    slot->is_open = slot->is_seen = true;
    slot->list = element->list;
    if (is_live)
        slot->silent_us = 0;
    if (element->state == SLURM_RUNS) {
        on_runs(runner, task, element);
    } else if (element->state == SLURM_WAITS) {
        if (slot->state == SLURM_RUNS)
            report_requeued(runner, task, element);
        slot->state = SLURM_WAITS;
    } else {
        collect(runner, task, element);
    }
}

static void read_queue(struct slurm_runner *runner, const char *text)
{
    static const struct slurm_element gone = {.state = SLURM_GONE};
    size_t count = runner->ledger->store->state.count;
    struct slurm_element element;

    for (size_t i = 0; i < count; i++)
        runner->slots[i].is_seen = false;
    for (const char *at = text; *at && !runner->ledger->failure.code;)
        if (slurm_queue_read(&at, runner->ledger->store->id, &element))
            on_element(runner, &element);
    for (size_t i = 0; i < count && !runner->ledger->failure.code; i++)
        if (runner->slots[i].is_open && !runner->slots[i].is_seen)
            collect(runner, i, &gone);
}

static void on_queue(void *data, const char *output, const struct error *err)
{
    struct slurm_runner *runner = data;

    if (err && !runner->is_unknown)
        suite_ledger_notice(runner->ledger, "Slurm does not answer: %s: kforge asks again",
                            err->text);
    if (!err && runner->is_unknown)
        suite_ledger_notice(runner->ledger, "Slurm answers again");
    runner->is_unknown = err != NULL;
    if (!err)
        read_queue(runner, output);
    plan_look(runner);
    runner->ledger->changed(runner->ledger->data);
}

static void look(void *data)
{
    struct slurm_runner *runner = data;
    struct error err;

    if (slurm_command_start(&runner->queue, slurm_queue_command, &err))
        on_queue(runner, "", &err);
}

static void plan_look(struct slurm_runner *runner)
{
    int64_t pause_us = runner->pause_us;

    if (!runner->open || runner->is_detached || runner->queue.process.pid)
        return;
    loop_set_timer(runner->ledger->loop, &runner->next_look, pause_us, look, runner);
    pause_us += pause_us / 2;
    runner->pause_us = pause_us < longest_pause_us ? pause_us : longest_pause_us;
}

/*
 * Settle the tasks that an earlier run of the suite submitted and that are not in the queue: take
 * their ends from their records.  Tasks whose failure is in the journal are tried again.
 */
static void settle(struct slurm_runner *runner)
{
    const struct suite_state *state = &runner->ledger->store->state;

    for (size_t list = 0; list < runner->lists.count; list++)
        for (size_t i = 0; i < runner->lists.items[list].count; i++) {
            size_t task = runner->lists.items[list].items[i];

            if (task < state->count && state->tasks[task].phase == TASK_WAITS &&
                !state->tasks[task].reason && !runner->slots[task].is_open)
                (void)end_by_record(runner, task, true);
        }
}

static enum status open_runner(struct suite_ledger *ledger, const struct suite_run_options *options,
                               void **opened, struct error *err)
{
    struct slurm_runner *runner = mem_alloc_zeroed(1, sizeof(*runner));
    struct strbuf queue = {0};
    enum status st;

    *runner = (struct slurm_runner){
        .ledger = ledger,
        .options = options,
        .slots = mem_alloc_zeroed(ledger->store->state.count, sizeof(*runner->slots)),
        .queue = {.loop = ledger->loop, .ended = on_queue, .data = runner},
        .pause_us = first_pause_us};
    *opened = runner;
    st = slurm_lists_read(&runner->lists, ledger->store, err);
    if (st || !runner->lists.count)
        return st;
    st = slurm_command_run(slurm_queue_command, &queue, err);
    if (!st) {
        read_queue(runner, strbuf_cstr(&queue));
        settle(runner);
        plan_look(runner);
    }
    strbuf_release(&queue);
    return st;
}

/* Choose up to `most` tasks to submit; return their number. */
static size_t choose(const struct slurm_runner *runner, size_t *tasks, size_t most)
{
    const struct suite_state *state = &runner->ledger->store->state;
    size_t count = 0;

    for (size_t i = 0; i < state->count && count < most; i++)
        if (state->tasks[i].phase == TASK_WAITS && !runner->slots[i].is_open)
            tasks[count++] = i;
    return count;
}

static void open_slots(struct slurm_runner *runner, const size_t *tasks, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        runner->slots[tasks[i]] = (struct slot){.list = (unsigned)runner->lists.count,
                                                .state = SLURM_WAITS,
                                                .is_open = true,
                                                .repeated = runner->slots[tasks[i]].repeated};
    }
    runner->open += count;
    runner->pause_us = first_pause_us;
}

/* Submit one list.  A refusal is an error only while none of the suite's tasks is in the queue. */
static enum status submit(struct slurm_runner *runner, const size_t *tasks, size_t count,
                          struct error *err)
{
    struct suite_submitted submitted = {.scheduler = "slurm", .tasks = (unsigned)count};
    struct slurm_submission submission = {.options = runner->options->place->options,
                                          .jobs = runner->options->jobs};
    struct error refusal = {0};
    enum status st;

    for (size_t i = 0; i < count; i++)
        task_record_remove(runner->ledger->store, tasks[i]);
    st = slurm_lists_add(&runner->lists, runner->ledger->store, tasks, count, err);
    if (st)
        return st;
    submission.list = submitted.list = (unsigned)runner->lists.count;
    submission.count = count;
    st = slurm_submit(&submission, runner->ledger->store, &refusal);
    if (st && runner->open && !runner->is_refused)
        suite_ledger_notice(runner->ledger, "Slurm refuses further jobs for now: %s", refusal.text);
    runner->is_refused = st != STATUS_OK;
    if (st)
        slurm_lists_drop(&runner->lists, runner->ledger->store);
    if (st)
        return runner->open ? STATUS_OK : error_set(err, st, "sbatch: %s", refusal.text);
    submitted.job = submission.job;
    open_slots(runner, tasks, count);
    suite_ledger_record(runner->ledger, EVENT_SUITE_SUBMITTED, &submitted);
    return (enum status)runner->ledger->failure.code;
}

static enum status begin(void *data, struct error *err)
{
    struct slurm_runner *runner = data;
    size_t *tasks = mem_alloc_zeroed(SLURM_MOST_ELEMENTS, sizeof(*tasks)), most = 0;
    enum status st = STATUS_OK;

    while (!st && !runner->is_refused && choose(runner, tasks, 1) > 0) {
        st = most ? STATUS_OK : slurm_find_most(&most, err);
        if (!st)
            st = submit(runner, tasks, choose(runner, tasks, most), err);
    }
    free(tasks);
    if (!runner->next_look.is_set)
        plan_look(runner);
    return st;
}

static bool is_busy(const void *data)
{
    const struct slurm_runner *runner = data;

    return runner->open && !runner->is_detached;
}

/*
 * Cancel the jobs if the budget is used up; otherwise let them continue without the suite's
 * process.
 */
static void interrupt(void *data, bool budget_is_spent)
{
    struct slurm_runner *runner = data;
    struct error err;

    if (!budget_is_spent)
        runner->is_detached = true;
    else if (runner->open && slurm_cancel(runner->ledger->store, runner->lists.count, &err))
        suite_ledger_notice(runner->ledger, "the jobs cannot be cancelled: %s", err.text);
}

/* The next begin() submits the task again. */
static void take_back(void *data, size_t task)
{
    close_slot(data, task);
}

static void close_runner(void *data)
{
    struct slurm_runner *runner = data;

    if (!runner)
        return;
    loop_clear_timer(runner->ledger->loop, &runner->next_look);
    slurm_command_end(&runner->queue);
    slurm_lists_release(&runner->lists);
    free(runner->slots);
    free(runner);
}

const struct suite_runner_ops slurm_runner_ops = {
    open_runner, begin, is_busy, interrupt, take_back, close_runner,
};
