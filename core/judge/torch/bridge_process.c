#include "core/judge/torch/bridge_process.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/mem.h"
#include "core/base/strbuf.h"
#include "core/judge/executor/wire.h"
#include "core/system/clock.h"
#include "core/system/file.h"
#include "core/system/log.h"
#include "core/system/machine.h"

/*
 * At the limit of a request the process itself reports the line that takes too long. After this
 * further time it is killed. A process that has closed its output has the same time to end, so that
 * its status says why.
 */
enum { GRACE_US = 3000000 };

/* The share of the machine's memory that a model may use. The judge needs the rest. */
static const double memory_share = 0.75;

/* The exit status of containment_run() if a program cannot be started (backends/containment). */
enum { NOT_STARTED = 127 };

/* The process leads a group, which compilers that it has started belong to. */
static void signal_group(const struct bridge_process *process, int number)
{
    if (process->child.process.pid)
        (void)kill(-process->child.process.pid, number);
}

void bridge_process_pause(struct bridge_process *process, bool is_paused)
{
    pthread_mutex_lock(&process->pausing);
    process->is_paused = is_paused;
    process->child.is_paused = is_paused;
    signal_group(process, is_paused ? SIGSTOP : SIGCONT);
    pthread_mutex_unlock(&process->pausing);
}

void bridge_process_kill(struct bridge_process *process)
{
    pthread_mutex_lock(&process->pausing);
    signal_group(process, SIGKILL);
    pthread_mutex_unlock(&process->pausing);
}

static int end_within(struct bridge_process *process, int64_t grace_us)
{
    int status;

    process->ahead.is_sent = false;
    pthread_mutex_lock(&process->pausing);
    status = child_end(&process->child, grace_us);
    pthread_mutex_unlock(&process->pausing);
    memfd_release(&process->shared);
    enclosure_release(&process->enclosure);
    return status;
}

int bridge_process_end(struct bridge_process *process)
{
    return end_within(process, 0);
}

/* torch.compile precompiles headers, which makes large files. */
#define LARGEST_FILE_BYTES "1073741824"

static void furnish(struct bridge_process *process)
{
    enclosure_admit_programs(&process->enclosure, process->argv);
    enclosure_set(&process->enclosure, "KFORGE_FILE_BYTES", LARGEST_FILE_BYTES);
    if (process->kept)
        enclosure_set(&process->enclosure, "KFORGE_KEPT", process->kept);
}

static enum status start_child(struct bridge_process *process, const struct process_spec *spec,
                               struct error *err)
{
    enum status st;

    pthread_mutex_lock(&process->pausing);
    st = process_start(&process->child.process, spec, err);
    process->child.is_paused = process->is_paused;
    if (process->is_paused)
        signal_group(process, SIGSTOP);
    pthread_mutex_unlock(&process->pausing);
    return st;
}

static enum status start(struct bridge_process *process, struct error *err)
{
    struct process_spec spec = {.argv = process->argv,
                                .without_secrets = true,
                                .own_session = true,
                                .stderr_fd = log_fd() > 0 ? log_fd() : 0};
    enum status st = enclosure_make(&process->enclosure, err);

    if (!st)
        st = memfd_open(&process->shared, err);
    if (!st)
        st = memfd_grow(&process->shared, 1, err);
    if (!st) {
        furnish(process);
        spec.passed_fd = process->shared.fd;
        spec.environment = process->enclosure.environment;
        st = start_child(process, &spec, err);
    }
    process->child.is_watched = true;
    process->child.allowed_bytes = (int64_t)(memory_share * machine_memory_bytes());
    if (st)
        bridge_process_end(process);
    return st;
}

static const char *file_of(const struct bridge_process *process)
{
    return json_get_string(process->opened, "file", "the model");
}

/* The argument after the option --contained (backends/worker.c). */
static const char *python_of(const struct bridge_process *process)
{
    return process->argv[2];
}

static enum status report_memory(const struct bridge_process *process, struct error *err)
{
    return error_set(
        err, STATUS_INVALID,
        "%s: the model needs more memory than this machine has: make its sizes smaller",
        file_of(process));
}

/* The process ended by itself. */
static enum status report_end(const struct bridge_process *process, int status, struct error *err)
{
    if (WIFEXITED(status) && WEXITSTATUS(status) == NOT_STARTED)
        return error_set(
            err, STATUS_UNAVAILABLE,
            "%s: cannot start: install the package python3-torch, or name a Python that "
            "has PyTorch in KFORGE_PYTHON",
            python_of(process));
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
        return error_set(
            err, STATUS_INVALID,
            "%s: the model's process was killed, probably for lack of memory: free some of the "
            "machine's memory, or make the model's sizes smaller",
            file_of(process));
    if (WIFSIGNALED(status))
        return error_set(err, STATUS_INVALID, "%s: the model crashed Python: %s", file_of(process),
                         strsignal(WTERMSIG(status)));
    return error_set(err, STATUS_INVALID, "%s: the model ended its Python process",
                     file_of(process));
}

/* No answer came within `seconds`: end the process, and report why. */
static enum status report_silence(struct bridge_process *process, enum child_wait why,
                                  double seconds, struct error *err)
{
    const char *file = file_of(process);
    int status = end_within(process, why == CHILD_GONE ? GRACE_US : 0);

    switch (why) {
    case CHILD_LATE:
        return error_set(err, STATUS_INVALID,
                         "%s: still running after %.3g s: look for an endless loop", file, seconds);
    case CHILD_CANCELLED:
        return error_set(err, STATUS_CANCELLED, "cancelled");
    case CHILD_GREEDY:
        return report_memory(process, err);
    case CHILD_CROWDED:
        return error_set(err, STATUS_INVALID, "%s: the model started more than %d processes", file,
                         CHILD_MAX_PROCESSES);
    case CHILD_GARBLED:
        return error_set(err, STATUS_INVALID, "%s: Python sent a line that is not JSON", file);
    case CHILD_GONE:
    case CHILD_WAITING:
    case CHILD_ANSWERED:
    default:
        return report_end(process, status, err);
    }
}

/* Only the thread that made the bridge can be cancelled. */
static const struct child_cancel *cancel_of(const struct bridge_process *process)
{
    static const struct child_cancel nobody = {0};

    return pthread_equal(process->maker, pthread_self()) ? &process->cancel : &nobody;
}

static void send_request(struct bridge_process *process, const struct json *request)
{
    struct strbuf text = {0};

    json_print(request, &text);
    strbuf_adds(&text, "\n");
    /* a write fails only if the child has ended; the wait for its answer reports that */
    (void)!child_send(&process->child, strbuf_cstr(&text), NULL);
    strbuf_release(&text);
}

static void log_wait(const struct json *request, int64_t began_us)
{
    struct strbuf what = {0};

    strbuf_addf(&what, "PyTorch: waited for %s", json_get_string(request, "do", ""));
    log_long(strbuf_cstr(&what), began_us);
    strbuf_release(&what);
}

/* Wait for the answer to a request that was sent. */
static enum status receive(struct bridge_process *process, const struct json *request,
                           struct json **answer, struct error *err)
{
    double seconds = json_get_number(request, "seconds", 0);
    int64_t began_us = clock_now_us();
    struct json *parsed = NULL;
    const char *line = NULL;
    enum child_wait wait = child_await(&process->child, (int64_t)(seconds * 1e6) + GRACE_US,
                                       cancel_of(process), &line);
    enum status st;

    log_wait(request, began_us);
    if (wait == CHILD_ANSWERED) {
        parsed = json_parse(line, strlen(line), NULL);
        wait = parsed ? CHILD_ANSWERED : CHILD_GARBLED;
    }
    if (wait != CHILD_ANSWERED)
        return report_silence(process, wait, seconds, err);
    st = wire_check(parsed, err);
    if (st == STATUS_UNAVAILABLE) /* the process ends if it lacks PyTorch */
        bridge_process_end(process);
    if (st)
        json_free(parsed);
    else
        *answer = parsed;
    return st;
}

enum status bridge_process_exchange(struct bridge_process *process, const struct json *request,
                                    struct json **answer, struct error *err)
{
    send_request(process, request);
    return receive(process, request, answer, err);
}

static void drop_ahead(struct bridge_process *process)
{
    json_free(process->ahead.answer);
    process->ahead = (struct bridge_ahead){0};
}

void bridge_process_send_ahead(struct bridge_process *process, const struct json *request)
{
    drop_ahead(process);
    process->has_taken = false;
    send_request(process, request);
    process->ahead = (struct bridge_ahead){.is_sent = true, .request = request};
}

void bridge_process_settle(struct bridge_process *process)
{
    struct bridge_ahead *ahead = &process->ahead;

    if (!ahead->is_sent)
        return;
    ahead->is_sent = false;
    ahead->is_answered = true;
    if (receive(process, ahead->request, &ahead->answer, &ahead->error))
        ahead->answer = NULL;
}

bool bridge_process_take_ahead(struct bridge_process *process, struct json **answer,
                               enum status *status, struct error *err)
{
    bool is_taken;

    bridge_process_settle(process);
    is_taken = process->ahead.is_answered;
    *status = process->ahead.error.code;
    if (is_taken && *status)
        *err = process->ahead.error;
    *answer = process->ahead.answer;
    process->ahead = (struct bridge_ahead){0};
    return is_taken;
}

/* Repeat a request that a new process has to know; does nothing if `request` is NULL. */
static enum status repeat(struct bridge_process *process, const struct json *request,
                          struct error *err)
{
    struct json *answer = NULL;
    enum status st = request ? bridge_process_exchange(process, request, &answer, err) : STATUS_OK;

    json_free(answer);
    return st;
}

enum status bridge_process_ensure(struct bridge_process *process, struct error *err)
{
    enum status st;

    bridge_process_settle(process);
    if (process->child.process.pid)
        return STATUS_OK;
    process->has_taken = false;
    st = start(process, err);
    if (!st)
        st = repeat(process, process->opened, err);
    return st ? st : repeat(process, process->placed, err);
}

enum status bridge_process_ask(struct bridge_process *process, struct json *request,
                               struct json **answer, struct error *err)
{
    enum status st = bridge_process_ensure(process, err);

    if (!st)
        st = bridge_process_exchange(process, request, answer, err);
    json_free(request);
    return st;
}

struct json *bridge_process_request(const struct bridge_process *process, const char *what)
{
    struct json *request = json_object_new();

    json_put_string(request, "do", what);
    json_put_number(request, "seconds", (double)process->limit_us * 1e-6);
    if (process->may_pause)
        json_put_bool(request, "pausable", true);
    return request;
}

void bridge_process_name_device(struct json *request, const struct device_info *device)
{
    json_put_string(request, "device", device->is_cpu ? "cpu" : device->id);
    json_put_string(request, "name", device->name);
    json_put_string(request, "uuid", device->uuid ? device->uuid : "");
}
