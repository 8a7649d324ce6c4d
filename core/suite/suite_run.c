#include "core/suite/suite_run.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/array.h"
#include "core/base/mem.h"
#include "core/base/vec.h"
#include "core/session/store/handed_decision.h"
#include "core/suite/suite_budget.h"
#include "core/suite/suite_queues.h"
#include "core/system/file.h"
#include "core/system/folder_watch.h"
#include "core/system/process.h"

/* The time that a process has from the end of its output to its own end. */
static const int64_t ending_us = 10000000;

/* How often the budget is looked at while tasks run. */
static const int64_t look_us = 2000000;

enum { OUTPUT_BYTES = 65536, LOG_MAX_BYTES = 64 << 20 };

/* A task whose process runs. */
struct running {
    struct suite_run *run;
    size_t task;
    struct process process;
    int log; /* descriptor of the file with its output */
    struct running *next;
};

struct suite_run {
    struct loop *loop;
    struct suite_store *store;
    struct suite_run_listener listener;
    struct suite_queues queues;
    struct running *running;
    struct {
        struct asking {
            size_t task;
            int folder; /* of its session, in `decisions` */
        } * items;      /* tasks that wait for the engineer */
        size_t count, capacity;
    } asking;
    struct folder_watch *decisions; /* NULL: no task has asked yet */
    struct loop_timer turn;
    struct suite_budget budget;
    struct loop_timer look;        /* due when the budget is looked at while tasks run */
    bool is_interrupted, is_spent; /* no task begins, and those that run end */
    char spent[SUITE_BUDGET_REASON];
    struct error failure; /* of the journal or of a process; code 0: none */
};

static void take_turn(void *data);

static void schedule(struct suite_run *run)
{
    loop_set_timer(run->loop, &run->turn, 0, take_turn, run);
}

static void record(struct suite_run *run, enum event_type type, const void *data)
{
    struct event event = event_make(type, data);

    if (suite_store_record(run->store, &event, &run->failure))
        suite_run_interrupt(run);
    else
        run->listener.recorded(run->listener.data, &event);
    event_release(&event);
}

/* Find the reason of a failure: the last line "kforge: ..." of the process's output. */
static void find_reason(const struct suite_run *run, size_t task, struct strbuf *reason)
{
    static const char mark[] = "kforge: ";
    char *path = suite_store_log(run->store, task);
    struct strbuf text = {0};
    const char *line = NULL;

    if (!file_read(path, LOG_MAX_BYTES, &text, NULL))
        for (const char *at = strbuf_cstr(&text); at; at = strchr(at, '\n')) {
            at += *at == '\n';
            if (strncmp(at, mark, strlen(mark)) == 0)
                line = at + strlen(mark);
        }
    if (line)
        strbuf_add(reason, line, strcspn(line, "\n"));
    else
        strbuf_addf(reason, "says no reason: see %s", path);
    strbuf_release(&text);
    free(path);
}

static void record_failure(struct suite_run *run, size_t task, int status)
{
    struct task_failed failed = {(unsigned)task + 1, run->store->state.tasks[task].session, NULL};
    struct strbuf reason = {0};

    if (WIFSIGNALED(status))
        strbuf_addf(&reason, "kforge was ended by signal %d", WTERMSIG(status));
    else
        find_reason(run, task, &reason);
    failed.reason = strbuf_cstr(&reason);
    record(run, EVENT_TASK_FAILED, &failed);
    strbuf_release(&reason);
}

/* Let the tasks for which there is a decision now wait for their devices again. */
static void take_decisions(struct suite_run *run)
{
    for (size_t i = run->asking.count; i-- > 0;) {
        struct asking *asking = &run->asking.items[i];

        if (!handed_decision_exists(run->store->state.tasks[asking->task].session))
            continue;
        suite_state_retry(&run->store->state, asking->task);
        suite_queues_return(&run->queues, asking->task);
        folder_watch_remove(run->decisions, asking->folder);
        *asking = run->asking.items[--run->asking.count];
    }
    schedule(run);
}

static void hear_decision(void *data, int folder, const char *name)
{
    if (folder < 0 || strcmp(name, handed_decision_file) == 0)
        take_decisions(data);
}

/* The step of a task waits for the engineer; the decision may have come already. */
static void await_decision(struct suite_run *run, size_t task)
{
    struct asking asking = {.task = task};
    char *folder = catalog_folder(run->store->state.tasks[task].session);
    enum status st = STATUS_OK;

    if (!run->decisions)
        st = folder_watch_open(run->loop, hear_decision, run, &run->decisions, &run->failure);
    if (!st)
        st = folder_watch_add(run->decisions, folder, &asking.folder, &run->failure);
    free(folder);
    if (st) {
        suite_run_interrupt(run);
        return;
    }
    vec_push(&run->asking, asking);
    if (run->listener.asks)
        run->listener.asks(run->listener.data, task);
    take_decisions(run);
}

/* Record the end of a task by the exit code of its process, which is that of `kforge run`. */
static void record_end(struct suite_run *run, size_t task, int status)
{
    static const enum task_result results[] = {
        [0] = TASK_IMPROVED, [1] = TASK_NO_GAIN, [3] = TASK_INCORRECT, [4] = TASK_OVER_BUDGET};
    size_t code = WIFEXITED(status) ? (size_t)WEXITSTATUS(status) : SIZE_MAX;
    struct task_ended ended = {(unsigned)task + 1, run->store->state.tasks[task].session,
                               TASK_IMPROVED};

    if (code < COUNT(results) && (code == 0 || results[code] != TASK_IMPROVED)) {
        ended.result = results[code];
        record(run, EVENT_TASK_ENDED, &ended);
    } else if (code == SUITE_EXIT_ASKS) {
        await_decision(run, task);
    } else if (!run->is_interrupted && !run->is_spent) {
        record_failure(run, task, status);
    }
}

static void unlink_running(struct running *running)
{
    struct running **at = &running->run->running;

    while (*at && *at != running)
        at = &(*at)->next;
    if (*at)
        *at = running->next;
}

/* Wait for the process, end it after `limit_us`, and free it; return its wait status. */
static int finish(struct running *running, int64_t limit_us)
{
    int status;

    loop_unwatch(running->run->loop, running->process.out);
    status = process_finish(&running->process, limit_us);
    close(running->log);
    free(running);
    return status;
}

/* Copy the output of a process to its log; its end is the end of the task. */
static void hear_output(void *data, int fd, unsigned ready)
{
    struct running *running = data;
    struct suite_run *run = running->run;
    size_t task = running->task;
    char bytes[OUTPUT_BYTES];
    ssize_t len = read(fd, bytes, sizeof(bytes));

    (void)ready;
    if (len > 0) {
        /* A disk that is full shows in the session's own journal. */
        (void)!write(running->log, bytes, (size_t)len);
        return;
    }
    unlink_running(running);
    record_end(run, task, finish(running, ending_us));
    suite_queues_give(&run->queues, task);
    suite_budget_count(&run->budget, task);
    schedule(run);
}

/* The log holds the output of the latest process, so that its last error is of that one. */
static enum status open_log(struct running *running, struct error *err)
{
    char *path = suite_store_log(running->run->store, running->task);
    enum status st = STATUS_OK;

    running->log = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
    if (running->log < 0)
        st = error_set(err, STATUS_IO, "%s: cannot be written: %s", path, strerror(errno));
    free(path);
    return st;
}

static enum status start_process(struct running *running, struct error *err)
{
    char number[24], pid[24];
    const char *const argv[] = {"/proc/self/exe", "suite", "task", running->run->store->id,
                                number,           pid,     NULL};
    enum status st = open_log(running, err);
    const struct process_spec spec = {.argv = argv, .stderr_fd = running->log};

    snprintf(number, sizeof(number), "%zu", running->task + 1);
    snprintf(pid, sizeof(pid), "%d", getpid());
    return st ? st : process_start(&running->process, &spec, err);
}

static void record_start(struct suite_run *run, size_t task, const char *session)
{
    const struct suite *suite = &run->store->suite;
    struct suite_task at = suite_task_at(suite, task);
    struct strbuf label = {0};
    struct task_started started = {(unsigned)task + 1, session, NULL,
                                   suite->arms.items[at.arm].name, at.repeat + 1};

    suite_add_label(suite, at.problem, &label);
    started.problem = strbuf_cstr(&label);
    record(run, EVENT_TASK_STARTED, &started);
    strbuf_release(&label);
}

/* Make the id of a new session.  Those of sessions that begin in one second differ by chance only.
 */
static void make_id(const struct suite_run *run, char id[CATALOG_ID_SIZE])
{
    const struct running *same;

    do {
        catalog_new_id(id);
        same = run->running;
        while (same && strcmp(run->store->state.tasks[same->task].session, id) != 0)
            same = same->next;
    } while (same);
}

/* A task that began before goes on with its session. */
static void start(struct suite_run *run, size_t task)
{
    struct running *running = mem_alloc_zeroed(1, sizeof(*running));
    char id[CATALOG_ID_SIZE];

    if (run->store->state.tasks[task].session[0])
        snprintf(id, sizeof(id), "%s", run->store->state.tasks[task].session);
    else
        make_id(run, id);
    *running = (struct running){.run = run, .task = task, .log = -1, .next = run->running};
    record_start(run, task, id);
    if (!run->failure.code && !start_process(running, &run->failure)) {
        run->running = running;
        loop_watch(run->loop, running->process.out, LOOP_READ, hear_output, running);
        return;
    }
    if (running->log >= 0)
        close(running->log);
    free(running);
    suite_run_interrupt(run);
}

static void conclude(struct suite_run *run)
{
    const struct suite_stopped stopped = {run->is_spent ? run->spent : "interrupted"};

    if ((run->is_interrupted || run->is_spent) && !run->failure.code)
        record(run, EVENT_SUITE_STOPPED, &stopped);
    run->listener.ended(run->listener.data, run->failure.code ? &run->failure : NULL);
}

static void end_all(const struct suite_run *run)
{
    for (const struct running *r = run->running; r; r = r->next)
        kill(r->process.pid, SIGTERM);
}

/* Stop when the sessions have used up the budget: those that run can be resumed with a larger one.
 */
static void check_budget(struct suite_run *run)
{
    bool has_work = run->running || run->store->state.in_phase[TASK_WAITS];

    if (run->is_spent || !has_work || !suite_budget_is_spent(&run->budget, run->spent))
        return;
    run->is_spent = true;
    end_all(run);
}

static void look_at_budget(void *data)
{
    struct suite_run *run = data;

    for (const struct running *r = run->running; r; r = r->next)
        suite_budget_count(&run->budget, r->task);
    check_budget(run);
    if (run->running && !run->is_spent)
        loop_set_timer(run->loop, &run->look, look_us, look_at_budget, run);
}

/* Begin as many tasks as the devices have room for; conclude when none runs and none can begin. */
static void take_turn(void *data)
{
    struct suite_run *run = data;
    size_t task;

    check_budget(run);
    while (!run->is_interrupted && !run->is_spent &&
           suite_queues_take(&run->queues, &run->store->state, &task))
        start(run, task);
    if (run->running && run->budget.uses && !run->is_spent)
        loop_set_timer(run->loop, &run->look, look_us, look_at_budget, run);
    if (!run->running)
        conclude(run);
}

static void record_opening(struct suite_run *run)
{
    const struct suite_store *store = run->store;
    const struct suite_opened opened = {store->id, store->suite.name,
                                        (unsigned)suite_task_count(&store->suite)};

    record(run, EVENT_SUITE_OPENED, &opened);
}

struct suite_run *suite_run_new(struct loop *loop, struct suite_store *store, unsigned jobs,
                                const struct suite_run_listener *listener)
{
    struct suite_run *run = mem_alloc_zeroed(1, sizeof(*run));

    *run = (struct suite_run){.loop = loop, .store = store, .listener = *listener};
    suite_queues_open(&run->queues, &store->suite, jobs);
    suite_budget_open(&run->budget, store);
    if (!store->state.id)
        record_opening(run);
    for (size_t i = 0; i < store->state.count; i++) {
        enum task_phase phase = store->state.tasks[i].phase;

        if (phase == TASK_RUNS || phase == TASK_HAS_FAILED)
            suite_state_retry(&store->state, i);
        suite_budget_count(&run->budget, i);
    }
    schedule(run);
    return run;
}

void suite_run_interrupt(struct suite_run *run)
{
    run->is_interrupted = true;
    end_all(run);
    schedule(run);
}

void suite_run_free(struct suite_run *run)
{
    if (!run)
        return;
    loop_clear_timer(run->loop, &run->turn);
    loop_clear_timer(run->loop, &run->look);
    for (struct running *r = run->running, *next; r; r = next) {
        next = r->next;
        finish(r, 0);
    }
    suite_queues_close(&run->queues);
    folder_watch_close(run->decisions);
    vec_release(&run->asking);
    suite_budget_close(&run->budget);
    free(run);
}
