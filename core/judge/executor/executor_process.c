#include "core/judge/executor/executor_process.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "core/base/utf8.h"
#include "core/base/vec.h"
#include "core/judge/executor/wire.h"
#include "core/system/file.h"
#include "core/system/parallel.h"

enum { DRIVER_WORDS_BYTES = 160 };

void executor_process_empty_slots(struct executor_process *process)
{
    for (size_t i = 0; i < SLOT_COUNT; i++) {
        free(process->slots[i].buffers); /* NOLINT(clang-analyzer-unix.Malloc): zeroed below */
        process->slots[i] = (struct executor_slot){0};
    }
}

struct readback_layout executor_process_layout(const struct executor_process *process,
                                               unsigned slot)
{
    return (struct readback_layout){process->slots[slot].buffers, process->slots[slot].count};
}

enum status executor_process_lend(struct executor_process *process, const struct lent_memory *lent,
                                  struct error *err)
{
    enum status st;

    if (!lent->size || process->lent_serial == lent->serial)
        return STATUS_OK;
    st = memfd_grow(&process->lent, lent->size, err);
    if (st)
        return st;
    parallel_copy(process->lent.bytes, lent->bytes, lent->size);
    process->lent_serial = lent->serial;
    return STATUS_OK;
}

int executor_process_end(struct executor_process *process)
{
    int status = child_end(&process->child, process->grace_us);

    memfd_release(&process->readback);
    memfd_release(&process->lent);
    process->lent_serial = 0;
    enclosure_release(&process->enclosure);
    executor_process_empty_slots(process);
    vec_release(&process->tensors);
    memset(process->built, 0, sizeof(process->built));
    process->is_open = false;
    process->was_shared = process->is_shared;
    process->is_tainted = process->is_shared = false;
    process->is_damaged = process->is_doubted = false;
    return status;
}

/* Let the executor read its script, and the Python to start it with. */
static void admit_script(struct executor_process *process)
{
    const char *python = getenv("KFORGE_PYTHON");
    char *script = process->script ? file_shipped(process->script) : NULL;
    const char *const programs[] = {python ? python : "python3", script, NULL};

    if (script)
        enclosure_admit_programs(&process->enclosure, programs);
    free(script);
}

static enum status start(struct executor_process *process, struct error *err)
{
    struct process_spec spec = {
        .argv = process->argv, .without_secrets = true, .own_session = true};
    enum status st;

    if (process->child.process.pid)
        return STATUS_OK;
    st = enclosure_make(&process->enclosure, err);
    if (!st)
        admit_script(process);
    if (!st)
        st = memfd_open(&process->readback, err);
    if (!st)
        st = memfd_open(&process->lent, err);
    if (!st) {
        spec.passed_fd = process->readback.fd;
        spec.lent_fd = process->lent.fd;
        spec.environment = process->enclosure.environment;
        st = child_start(&process->child, &spec, err);
    }
    if (st)
        executor_process_end(process);
    return st;
}

static enum status report_flood(struct executor_process *process, double bytes, struct error *err)
{
    process->outcome = OUTCOME_FLOODED;
    return error_set(err, STATUS_INVALID, "a run printed %.0f bytes, expected at most %d", bytes,
                     EXECUTOR_PRINTED_MAX_BYTES);
}

/* A run that printed too much is reported as flooded: printing may be what took so long. */
static enum status report_timeout(struct executor_process *process, int64_t limit_us, bool is_build,
                                  struct error *err)
{
    int64_t printed = child_printed(&process->child);

    executor_process_end(process);
    if (printed > EXECUTOR_PRINTED_MAX_BYTES)
        return report_flood(process, (double)printed, err);
    process->outcome = OUTCOME_TIMED_OUT;
    return error_set(err, STATUS_TIMEOUT, "%s took longer than %.3g s",
                     is_build ? "the build" : "the run", (double)limit_us * 1e-6);
}

/*
 * The process ended before a device was open, so a driver is to blame. Its last words often say
 * why.
 */
static enum status report_driver(struct executor_process *process, struct error *err)
{
    struct strbuf printed = {0}, words = {0};
    const char *remedy = "name a device of another kind, such as --device host:0";
    int status;

    child_add_printed(&process->child, &printed);
    utf8_add_last_line(&words, strbuf_cstr(&printed), printed.len, DRIVER_WORDS_BYTES);
    status = executor_process_end(process);
    if (WIFSIGNALED(status))
        error_set(
            err, STATUS_INVALID,
            "a driver crashed while the devices were listed (%s)%s; remove that driver, or %s",
            strsignal(WTERMSIG(status)), strbuf_cstr(&words), remedy);
    else
        error_set(err, STATUS_INVALID,
                  "a driver ended its process with status %d while the devices were listed%s; "
                  "remove that driver, or %s",
                  WEXITSTATUS(status), strbuf_cstr(&words), remedy);
    strbuf_release(&printed);
    strbuf_release(&words);
    return STATUS_INVALID;
}

/* The process has ended, or has to be ended: report that as the candidate's fault. */
static enum status report_end(struct executor_process *process, enum child_wait why,
                              struct error *err)
{
    int64_t allowed = process->child.allowed_bytes;
    int status;

    if (why == CHILD_GONE && !process->is_open)
        return report_driver(process, err);
    status = executor_process_end(process);
    process->outcome = OUTCOME_CRASHED;
    switch (why) {
    case CHILD_CANCELLED:
        process->outcome = OUTCOME_NONE;
        return error_set(err, STATUS_CANCELLED, "cancelled");
    case CHILD_GREEDY:
        process->outcome = OUTCOME_OUT_OF_MEMORY;
        return error_set(err, STATUS_INVALID,
                         "the kernel's process took more than %lld MB of memory",
                         (long long)(allowed >> 20));
    case CHILD_CROWDED:
        return error_set(err, STATUS_INVALID, "the kernel's process started more than %d processes",
                         CHILD_MAX_PROCESSES);
    case CHILD_GARBLED:
        return error_set(err, STATUS_INVALID, "the kernel's process sent a line that is not JSON");
    case CHILD_GONE:
    case CHILD_WAITING:
    case CHILD_ANSWERED:
    case CHILD_LATE:
    default:
        process->outcome = child_outcome(status, err);
        return STATUS_INVALID;
    }
}

/* The outcome of a failure in the executor. After an I/O error the device is no longer usable. */
static enum outcome outcome_of(enum status st)
{
    if (st == STATUS_UNAVAILABLE)
        return OUTCOME_OUT_OF_MEMORY;
    return st == STATUS_IO ? OUTCOME_CRASHED : OUTCOME_LAUNCH_FAILED;
}

/*
 * An error in the answer counts as the candidate's fault; a caller that knows another cause resets
 * the outcome.
 */
static enum status check_answer(struct executor_process *process, const struct json *answer,
                                struct error *err)
{
    enum status st = wire_check(answer, err);

    if (st)
        process->outcome = outcome_of(st);
    if (st == STATUS_IO)
        executor_process_end(process);
    return st;
}

static enum status ask(struct executor_process *process, const struct json *request,
                       int64_t limit_us, struct json **answer, struct error *err)
{
    bool is_build = strcmp(json_get_string(request, "do", ""), "load") == 0;
    struct json *parsed;
    enum child_wait wait = child_ask(&process->child, request, limit_us, &process->cancel, &parsed);
    enum status st;

    if (wait == CHILD_LATE)
        return report_timeout(process, limit_us, is_build, err);
    if (wait != CHILD_ANSWERED)
        return report_end(process, wait, err);
    st = check_answer(process, parsed, err);
    if (st)
        json_free(parsed);
    else
        *answer = parsed;
    return st;
}

enum status executor_process_exchange(struct executor_process *process, struct json *request,
                                      int64_t limit_us, struct json **answer, struct error *err)
{
    enum status st;

    process->outcome = OUTCOME_NONE;
    st = start(process, err);
    if (!st)
        st = ask(process, request, limit_us, answer, err);
    json_free(request);
    return st;
}

enum status executor_process_check_printed(struct executor_process *process, struct error *err)
{
    double bytes = (double)child_printed(&process->child);

    return bytes > EXECUTOR_PRINTED_MAX_BYTES ? report_flood(process, bytes, err) : STATUS_OK;
}

static void take_changes(struct executor_process *process, const struct json *indices)
{
    for (size_t i = 0; i < process->tensors.count; i++)
        process->tensors.items[i].is_changed = false;
    for (const struct json *index = json_first(indices); index; index = json_next(index)) {
        uint64_t number = json_whole(index, SIZE_MAX, SIZE_MAX);

        if (number < process->tensors.count)
            process->tensors.items[number].is_changed = true;
    }
}

/* Remember the handles of an answer; "" for each tensor if it has none. */
static void take_handles(struct executor_process *process, const struct json *handles)
{
    const struct json *handle = json_first(handles);

    for (size_t i = 0; i < process->tensors.count; i++) {
        struct executor_tensor *tensor = &process->tensors.items[i];

        snprintf(tensor->handle, sizeof(tensor->handle), "%s", json_string(handle, ""));
        handle = handle ? json_next(handle) : NULL;
    }
}

void executor_process_take_copy(struct executor_process *process, const struct json *answer)
{
    take_changes(process, json_get(answer, "changed"));
    take_handles(process, json_get(answer, "handles"));
}

const char *executor_process_handle(const struct executor_process *process, size_t index)
{
    const char *handle = index < process->tensors.count ? process->tensors.items[index].handle : "";

    return *handle ? handle : NULL;
}

void executor_process_fill_slot(struct executor_process *process, unsigned slot,
                                const struct dispatch *dispatch)
{
    struct executor_slot *filled = &process->slots[slot];
    size_t count = dispatch->buffers.count;

    filled->launches = dispatch->launches.count;
    filled->count = count;
    filled->buffers = mem_resize(filled->buffers, count, sizeof(*filled->buffers));
    memcpy(filled->buffers, dispatch->buffers.items, count * sizeof(*filled->buffers));
}

void executor_process_close_imports(struct executor_process *process)
{
    struct json *answer = NULL;
    struct error err;

    if (process->has_imports && process->child.process.pid && process->is_open &&
        executor_process_exchange(process, wire_request("close_imports"), EXECUTOR_DEVICE_LIMIT_US,
                                  &answer, &err))
        executor_process_end(process);
    process->has_imports = false;
    json_free(answer);
}

enum status executor_process_blame_disk(struct executor_process *process, enum status st,
                                        struct error *err)
{
    enum status disk = st == STATUS_CANCELLED ? STATUS_OK : enclosure_check_room(err);

    if (disk)
        process->outcome = OUTCOME_NONE;
    return disk ? disk : st;
}
