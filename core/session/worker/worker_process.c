#include "core/session/worker/worker_process.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/system/log.h"

/* Lines that shells and schedulers may print before the worker's first message. */
enum { MAX_GREETINGS = 100 };

/*
 * The exit status of a shell that does not find a program (POSIX, "Exit Status for Commands"), and
 * the time that it may take to exit.
 */
enum { SHELL_NOT_FOUND = 127, SHELL_US = 10000 };

const char worker_process_not_found[] = "was not found";

bool worker_process_runs(const struct worker_process *worker)
{
    return worker->process.pid != 0;
}

/* End the process and forget all about it; returns its wait status. */
static int end(struct worker_process *worker, int64_t grace_us)
{
    int status;

    loop_unwatch(worker->loop, worker->process.in);
    loop_unwatch(worker->loop, worker->process.out);
    worker_watchdog_reset(&worker->watchdog);
    status = process_finish(&worker->process, grace_us);
    lines_release(&worker->lines);
    strbuf_release(&worker->unsent);
    worker->written = 0;
    worker->greetings = 0;
    return status;
}

static void lose(struct worker_process *worker, const char *how)
{
    (void)end(worker, 0);
    worker->listener.lost(worker->listener.data, how);
}

/* The worker has closed its output, so it is about to exit. */
static void lose_ended(struct worker_process *worker)
{
    int status = end(worker, SHELL_US);
    bool is_missing = WIFEXITED(status) && WEXITSTATUS(status) == SHELL_NOT_FOUND;

    worker->listener.lost(worker->listener.data, is_missing ? worker_process_not_found : "died");
}

static void hear_silence(void *data, bool is_silent)
{
    struct worker_process *worker = data;

    worker->listener.silent(worker->listener.data, is_silent);
}

static void hear_hung(void *data)
{
    lose(data, "stopped responding");
}

static void take_message(struct worker_process *worker, const struct json *message)
{
    worker_watchdog_hear(&worker->watchdog);
    worker->listener.message(worker->listener.data, message);
}

static void take_line(struct worker_process *worker, const char *line)
{
    struct json *message = json_parse(line, strlen(line), NULL);

    if (json_type(message) == JSON_OBJECT) {
        take_message(worker, message);
    } else {
        log_line("worker: not a message: %.200s", line);
        if (worker->watchdog.was_heard || ++worker->greetings > MAX_GREETINGS)
            lose(worker, "sent invalid messages");
    }
    json_free(message);
}

static void read_lines(void *data, int fd, unsigned ready)
{
    struct worker_process *worker = data;
    enum status st = lines_fill(&worker->lines, fd, NULL);
    const char *line;

    (void)ready;
    while (worker_process_runs(worker) && (line = lines_next(&worker->lines)))
        take_line(worker, line);
    if (st && worker_process_runs(worker)) {
        if (st == STATUS_UNAVAILABLE)
            lose_ended(worker);
        else
            lose(worker, "sent invalid messages");
    }
}

/* Drop a message that cannot be written: the end of the worker's output reports that it is gone. */
static void write_unsent(void *data, int fd, unsigned ready)
{
    struct worker_process *worker = data;
    size_t left = worker->unsent.len - worker->written;
    ssize_t put = write(fd, strbuf_cstr(&worker->unsent) + worker->written, left);

    (void)ready;
    if (put < 0 && (errno == EAGAIN || errno == EINTR))
        put = 0;
    worker->written += put < 0 ? left : (size_t)put;
    if (worker->written < worker->unsent.len) {
        loop_watch(worker->loop, fd, LOOP_WRITE, write_unsent, worker);
        return;
    }
    loop_unwatch(worker->loop, fd);
    strbuf_release(&worker->unsent);
    worker->written = 0;
}

void worker_process_send(struct worker_process *worker, const struct json *message)
{
    json_print(message, &worker->unsent);
    strbuf_adds(&worker->unsent, "\n");
    worker_watchdog_expect(&worker->watchdog);
    write_unsent(worker, worker->process.in, LOOP_WRITE);
}

void worker_process_rest(struct worker_process *worker)
{
    worker_watchdog_rest(&worker->watchdog);
}

enum status worker_process_start(struct worker_process *worker, struct error *err)
{
    const char *const argv[] = {"/bin/sh", "-c", worker->command, NULL};
    const struct process_spec spec = {
        .argv = argv, .stderr_fd = log_fd() > 0 ? log_fd() : 0, .without_secrets = true};
    enum status st = process_start(&worker->process, &spec, err);

    if (st)
        return st;
    worker->watchdog = (struct worker_watchdog){.loop = worker->loop,
                                                .patience_us = worker->patience_us,
                                                .is_elsewhere = worker->is_elsewhere,
                                                .silent = hear_silence,
                                                .hung = hear_hung,
                                                .data = worker};
    (void)fcntl(worker->process.in, F_SETFL, O_NONBLOCK);
    loop_watch(worker->loop, worker->process.out, LOOP_READ, read_lines, worker);
    return STATUS_OK;
}

void worker_process_end(struct worker_process *worker, int64_t grace_us)
{
    if (worker_process_runs(worker))
        (void)end(worker, worker->watchdog.is_silent ? 0 : grace_us);
}
