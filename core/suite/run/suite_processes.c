#include "core/suite/run/suite_processes.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/mem.h"
#include "core/suite/run/suite_queues.h"
#include "core/suite/suite_session.h"
#include "core/system/file.h"
#include "core/system/loop.h"
#include "core/system/process.h"

/* The time in which a process must end after it has closed its output. */
static const int64_t ending_us = 10000000;

enum { OUTPUT_BYTES = 65536, REASON_BYTES = 64, EXIT_UNAVAILABLE = 5 };

/*
 * A process of a task.  After the task failed it is the command that asks whether its host answers.
 */
struct running {
    struct processes *processes;
    struct suite_seat seat;
    struct process process;
    int log;   /* descriptor of the file with its output */
    bool asks; /* the process is that command */
    struct running *next;
};

struct processes {
    struct suite_ledger *ledger;
    const struct suite_place *place; /* NULL: this machine */
    struct suite_queues queues;
    struct running *running;
};

static const struct suite_host *host_of(const struct processes *processes, struct suite_seat seat)
{
    const struct suite_place *place = processes->place;

    return place && place->hosts.count ? &place->hosts.items[seat.host] : NULL;
}

static void unlink_running(struct running *running)
{
    struct running **at = &running->processes->running;

    while (*at && *at != running)
        at = &(*at)->next;
    if (*at)
        *at = running->next;
}

/* Wait at most `limit_us` for the process to end, then kill it; return its wait status. */
static int finish(struct running *running, int64_t limit_us)
{
    int status;

    loop_unwatch(running->processes->ledger->loop, running->process.out);
    status = process_finish(&running->process, limit_us);
    if (running->log >= 0)
        close(running->log);
    running->log = -1;
    return status;
}

/* Tell the queues how long the session of an ended task took. */
static void learn(struct processes *processes, size_t task)
{
    const struct task_state *state = &processes->ledger->store->state.tasks[task];
    struct session session = {0};

    if (state->phase != TASK_HAS_ENDED || processes->queues.suite->order != SUITE_SHORTEST)
        return;
    if (!suite_session_read(state->session, &session, NULL))
        suite_queues_learn(&processes->queues, task, session.used[RESOURCE_MINUTES]);
    session_release(&session);
}

static void end_task(struct running *running, int status)
{
    char reason[REASON_BYTES];
    struct task_exit how = {.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1};
    struct processes *processes = running->processes;

    if (WIFSIGNALED(status)) {
        snprintf(reason, sizeof(reason), "kforge was ended by signal %d", WTERMSIG(status));
        how.reason = reason;
    }
    suite_queues_give(&processes->queues, running->seat);
    suite_ledger_end(processes->ledger, running->seat.task, &how);
    learn(processes, running->seat.task);
    free(running);
}

/* The host does not answer: close it, and let the task wait for another host. */
static void lose_host(struct running *running)
{
    struct processes *processes = running->processes;
    const struct suite_host *host = host_of(processes, running->seat);
    size_t task = running->seat.task;

    if (suite_queues_close_host(&processes->queues, running->seat.host))
        suite_ledger_notice(processes->ledger,
                            "host %s does not answer: its tasks wait for the other hosts, or for "
                            "kforge suite resume",
                            host->name);
    suite_queues_give(&processes->queues, running->seat);
    suite_state_retry(&processes->ledger->store->state, task);
    suite_queues_return(&processes->queues, task);
    processes->ledger->changed(processes->ledger->data);
    free(running);
}

static void on_output(void *data, int fd, unsigned ready);

static void watch(struct running *running)
{
    struct processes *processes = running->processes;

    running->next = processes->running;
    processes->running = running;
    loop_watch(processes->ledger->loop, running->process.out, LOOP_READ, on_output, running);
}

/* Start a command that asks whether the host answers; false if it cannot be started. */
static bool ask_host(struct running *running)
{
    const struct suite_host *host = host_of(running->processes, running->seat);
    struct strbuf line = {0};
    const char *argv[] = {"/bin/sh", "-c", NULL, NULL};
    const struct process_spec spec = {.argv = argv, .without_secrets = true};
    bool is_asked;

    strbuf_addf(&line, "exec %s true", host->prefix);
    argv[2] = strbuf_cstr(&line);
    is_asked = !process_start(&running->process, &spec, NULL);
    strbuf_release(&line);
    if (!is_asked)
        return false;
    running->asks = true;
    watch(running);
    return true;
}

static void on_end(struct running *running)
{
    bool had_asked = running->asks;
    int status = finish(running, ending_us);
    bool is_unavailable = WIFEXITED(status) && WEXITSTATUS(status) == EXIT_UNAVAILABLE;

    unlink_running(running);
    if (had_asked && status != 0)
        lose_host(running);
    else if (had_asked)
        end_task(running, EXIT_UNAVAILABLE << 8);
    else if (!is_unavailable || !host_of(running->processes, running->seat) ||
             running->processes->ledger->is_stopping || !ask_host(running))
        end_task(running, status);
}

/* Copy the output of a process to its log.  The task has ended when the output ends. */
static void on_output(void *data, int fd, unsigned ready)
{
    struct running *running = data;
    char bytes[OUTPUT_BYTES];
    ssize_t len = read(fd, bytes, sizeof(bytes));

    (void)ready;
    if (len <= 0)
        on_end(running);
    else if (running->log >= 0)
        /* if the disk is full, writing the journal reports it */
        (void)!write(running->log, bytes, (size_t)len);
}

/*
 * Empty the log: it holds the output of the latest process only, so that the last error in it is
 * that of the latest process.
 */
static enum status open_log(struct running *running, struct error *err)
{
    char *path = suite_store_log(running->processes->ledger->store, running->seat.task);
    enum status st = STATUS_OK;

    running->log = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
    if (running->log < 0)
        st = file_fail(err, "write", path);
    free(path);
    return st;
}

static enum status start_process(struct running *running, struct error *err)
{
    const struct suite_host *host = host_of(running->processes, running->seat);
    const char *id = running->processes->ledger->store->id;
    char number[24], pid[24];
    const char *const argv[] = {
        "/proc/self/exe",           "suite", "task", id, number, pid, host ? "--worker" : NULL,
        host ? host->prefix : NULL, NULL};
    enum status st = open_log(running, err);
    const struct process_spec spec = {.argv = argv, .stderr_fd = running->log};

    snprintf(number, sizeof(number), "%zu", running->seat.task + 1);
    snprintf(pid, sizeof(pid), "%d", getpid());
    return st ? st : process_start(&running->process, &spec, err);
}

/*
 * Make an id for a new session that no other has.  Ids made in the same second differ only by
 * random digits.
 */
static void make_id(const struct processes *processes, char id[CATALOG_ID_SIZE])
{
    const struct task_state *tasks = processes->ledger->store->state.tasks;
    const struct running *same;

    do {
        catalog_new_id(id);
        same = processes->running;
        while (same && strcmp(tasks[same->seat.task].session, id) != 0)
            same = same->next;
    } while (same);
}

static enum status start(struct processes *processes, struct suite_seat seat, struct error *err)
{
    struct running *running = mem_alloc_zeroed(1, sizeof(*running));
    const struct suite_host *host = host_of(processes, seat);
    char id[CATALOG_ID_SIZE];
    enum status st;

    make_id(processes, id);
    *running = (struct running){.processes = processes, .seat = seat, .log = -1};
    suite_ledger_start(processes->ledger, seat.task, id, host ? host->name : NULL);
    st = (enum status)processes->ledger->failure.code;
    if (!st)
        st = start_process(running, err);
    if (!st) {
        watch(running);
        return STATUS_OK;
    }
    if (running->log >= 0)
        close(running->log);
    free(running);
    return st;
}

static enum status begin(void *runner, struct error *err)
{
    struct processes *processes = runner;
    struct suite_seat seat;
    enum status st = STATUS_OK;

    while (!st && suite_queues_take(&processes->queues, &processes->ledger->store->state, &seat))
        st = start(processes, seat, err);
    return st;
}

static enum status open_processes(struct suite_ledger *ledger,
                                  const struct suite_run_options *options, void **runner,
                                  struct error *err)
{
    struct processes *processes = mem_alloc_zeroed(1, sizeof(*processes));

    (void)err;
    processes->ledger = ledger;
    processes->place = options->place;
    suite_queues_open(&processes->queues, &ledger->store->suite, options);
    for (size_t i = 0; i < ledger->store->state.count; i++)
        learn(processes, i);
    *runner = processes;
    return STATUS_OK;
}

static bool is_busy(const void *runner)
{
    return ((const struct processes *)runner)->running != NULL;
}

static void interrupt(void *runner, bool budget_is_spent)
{
    (void)budget_is_spent;
    for (const struct running *r = ((struct processes *)runner)->running; r; r = r->next)
        kill(r->process.pid, SIGTERM);
}

static void take_back(void *runner, size_t task)
{
    suite_queues_return(&((struct processes *)runner)->queues, task);
}

static void close_processes(void *runner)
{
    struct processes *processes = runner;

    if (!processes)
        return;
    for (struct running *r = processes->running, *next; r; r = next) {
        next = r->next;
        finish(r, 0);
        free(r);
    }
    suite_queues_close(&processes->queues);
    free(processes);
}

const struct suite_runner_ops suite_processes_ops = {
    open_processes, begin, is_busy, interrupt, take_back, close_processes,
};
