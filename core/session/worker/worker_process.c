#include "core/session/worker/worker_process.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/utf8.h"
#include "core/system/log.h"

/* Lines that shells and schedulers may print before the worker's first message. */
enum { MAX_GREETINGS = 100 };

/* The exit status of a shell that does not find a program (POSIX, "Exit Status for Commands"). */
enum { SHELL_NOT_FOUND = 127 };

/*
 * The time that a process may take to exit after its output has ended: microseconds, unless the
 * machine is busy.
 */
enum { EXIT_US = 500000 };

const char worker_process_not_found[] = "was not found";
const char worker_process_not_begun[] = "ended before its first message";

/* The size of the end of standard error that is kept, for its last line. */
enum { SAID_MAX_BYTES = 4096, QUOTED_BYTES = 200 };

bool worker_process_runs(const struct worker_process *worker)
{
    return worker->process.pid != 0;
}

/* Append text to the kept standard error of the worker, and drop what is too old. */
static void keep_said(struct strbuf *said, const char *text, size_t len)
{
    size_t surplus;

    strbuf_add(said, text, len);
    surplus = said->len > SAID_MAX_BYTES ? said->len - SAID_MAX_BYTES : 0;
    memmove(said->data, said->data + surplus, said->len - surplus);
    said->len -= surplus;
    said->data[said->len] = '\0';
}

/* Pass standard error on to the log, or to kforge's own; false at its end, or without new data. */
static bool pass_errors(struct worker_process *worker)
{
    char text[1024];
    ssize_t len = read(worker->errors, text, sizeof(text));

    if (len <= 0)
        return len < 0 && errno == EINTR;
    (void)!write(log_fd() > 0 ? log_fd() : STDERR_FILENO, text, (size_t)len);
    keep_said(&worker->said, text, (size_t)len);
    return true;
}

static void read_errors(void *data, int fd, unsigned ready)
{
    struct worker_process *worker = data;

    (void)ready;
    if (!pass_errors(worker) && errno != EAGAIN)
        loop_unwatch(worker->loop, fd);
}

/*
 * Read what is left in the pipe, and close it. Do not wait for its end: programs that the worker
 * started may outlive it and keep the pipe open.
 */
static void close_errors(struct worker_process *worker)
{
    while (pass_errors(worker))
        ;
    loop_unwatch(worker->loop, worker->errors);
    close(worker->errors);
    worker->errors = 0;
}

enum status worker_process_explain(struct worker_process *worker, const char *how,
                                   const char *command, struct error *err)
{
    const struct strbuf *said = worker->said.len ? &worker->said : &worker->greeting;
    struct strbuf quoted = {0};
    const char *line;

    utf8_add_last_line(&quoted, strbuf_cstr(said), said->len, QUOTED_BYTES);
    line = strbuf_cstr(&quoted);
    if (how == worker_process_not_found)
        error_set(err, STATUS_UNAVAILABLE,
                  "%s was not found%s: install it where this command runs it: %s",
                  *line && !strstr(line, "kforge-worker") ? "a program" : "kforge-worker", line,
                  command);
    else if (how != worker_process_not_begun)
        error_set(err, STATUS_UNAVAILABLE, "gave up after %d starts: the worker %s%s: %s",
                  WORKER_MAX_STARTS, how, line, command);
    else if (*line)
        error_set(err, STATUS_UNAVAILABLE,
                  "the worker did not start (exit status %d)%s: in the command %s",
                  worker->exit_status, line, command);
    else
        error_set(err, STATUS_UNAVAILABLE,
                  "the worker did not start (exit status %d): a prefix for kforge-worker must run "
                  "it, as \"ssh gpu7\" does: %s",
                  worker->exit_status, command);
    strbuf_release(&quoted);
    return STATUS_UNAVAILABLE;
}

void worker_process_release(struct worker_process *worker)
{
    strbuf_release(&worker->said);
    strbuf_release(&worker->greeting);
}

/* End the process and reset the worker's state; returns the wait status of the process. */
static int end(struct worker_process *worker, int64_t grace_us)
{
    int status;

    loop_unwatch(worker->loop, worker->process.in);
    loop_unwatch(worker->loop, worker->process.out);
    worker_watchdog_reset(&worker->watchdog);
    status = process_finish(&worker->process, grace_us);
    close_errors(worker);
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
    bool has_spoken = worker->watchdog.has_spoken;
    int status = end(worker, EXIT_US);
    const char *how = "died";

    worker->exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    if (worker->exit_status == SHELL_NOT_FOUND)
        how = worker_process_not_found;
    else if (WIFEXITED(status) && !has_spoken)
        how = worker_process_not_begun;
    worker->listener.lost(worker->listener.data, how);
}

static void on_silence(void *data, bool is_silent)
{
    struct worker_process *worker = data;

    worker->listener.silent(worker->listener.data, is_silent);
}

static void on_hung(void *data)
{
    lose(data, "stopped responding");
}

static void take_message(struct worker_process *worker, const struct json *message)
{
    worker_watchdog_note_message(&worker->watchdog);
    worker->listener.message(worker->listener.data, message);
}

static void take_line(struct worker_process *worker, const char *line)
{
    struct json *message = json_parse(line, strlen(line), NULL);

    if (json_type(message) == JSON_OBJECT) {
        take_message(worker, message);
    } else {
        log_line("worker: not a message: %.200s", line);
        worker->greeting.len = 0;
        strbuf_adds(&worker->greeting, line);
        if (worker->watchdog.has_spoken || ++worker->greetings > MAX_GREETINGS)
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

/*
 * Write what is unsent. A message that cannot be written is dropped, because the end of the
 * worker's output will report the loss.
 */
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

/* Register with the loop for the worker's output, and for writing if messages are unsent. */
static void watch(struct worker_process *worker)
{
    loop_watch(worker->loop, worker->errors, LOOP_READ, read_errors, worker);
    loop_watch(worker->loop, worker->process.out, LOOP_READ, read_lines, worker);
    if (worker->unsent.len)
        loop_watch(worker->loop, worker->process.in, LOOP_WRITE, write_unsent, worker);
}

static void unwatch(struct worker_process *worker)
{
    loop_unwatch(worker->loop, worker->process.in);
    loop_unwatch(worker->loop, worker->process.out);
    loop_unwatch(worker->loop, worker->errors);
    worker_watchdog_reset(&worker->watchdog);
}

/* A worker of the same configuration that does not run. */
static struct worker_process configured_as(const struct worker_process *worker)
{
    return (struct worker_process){.loop = worker->loop,
                                   .listener = worker->listener,
                                   .command = worker->command,
                                   .patience_us = worker->patience_us,
                                   .is_elsewhere = worker->is_elsewhere};
}

static struct worker_watchdog make_watchdog(struct worker_process *worker)
{
    return (struct worker_watchdog){.loop = worker->loop,
                                    .patience_us = worker->patience_us,
                                    .is_elsewhere = worker->is_elsewhere,
                                    .silent = on_silence,
                                    .hung = on_hung,
                                    .data = worker};
}

/* Start the command with `errors`, the ends of a pipe, for its standard error. */
static enum status start(struct worker_process *worker, const int errors[2], struct error *err)
{
    const char *const argv[] = {"/bin/sh", "-c", worker->command, NULL};
    const struct process_spec spec = {
        .argv = argv, .stderr_fd = errors[1], .without_secrets = true};
    enum status st = process_start(&worker->process, &spec, err);

    close(errors[1]);
    if (st) {
        close(errors[0]);
        return st;
    }
    (void)fcntl(errors[0], F_SETFL, O_NONBLOCK);
    worker->errors = errors[0];
    worker->said.len = worker->greeting.len = 0;
    return STATUS_OK;
}

enum status worker_process_start(struct worker_process *worker, struct error *err)
{
    int errors[2];
    enum status st;

    if (pipe2(errors, O_CLOEXEC))
        return error_set(err, STATUS_UNAVAILABLE, "cannot start the worker: %s", strerror(errno));
    st = start(worker, errors, err);
    if (st)
        return st;
    worker->watchdog = make_watchdog(worker);
    (void)fcntl(worker->process.in, F_SETFL, O_NONBLOCK);
    watch(worker);
    return STATUS_OK;
}

void worker_process_move(struct worker_process *worker, struct worker_process *from)
{
    bool has_spoken = from->watchdog.has_spoken;

    unwatch(from);
    worker_process_release(worker);
    *worker = configured_as(worker);
    worker->process = from->process;
    worker->lines = from->lines;
    worker->unsent = from->unsent;
    worker->written = from->written;
    worker->greetings = from->greetings;
    worker->errors = from->errors;
    worker->said = from->said;
    worker->greeting = from->greeting;
    *from = configured_as(from);
    worker->watchdog = make_watchdog(worker);
    worker->watchdog.has_spoken = has_spoken;
    watch(worker);
}

void worker_process_end(struct worker_process *worker, int64_t grace_us)
{
    if (worker_process_runs(worker))
        (void)end(worker, worker->watchdog.is_silent ? 0 : grace_us);
}
