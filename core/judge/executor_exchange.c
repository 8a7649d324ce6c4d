#include "core/judge/executor_state.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/vec.h"
#include "core/judge/wire.h"

void executor_empty_slots(struct executor *executor)
{
    for (size_t i = 0; i < SLOT_COUNT; i++) {
        free(executor->slots[i].buffers); /* NOLINT(clang-analyzer-unix.Malloc): zeroed below */
        executor->slots[i] = (struct slot){0};
    }
}

int executor_end(struct executor *executor)
{
    int status = child_end(&executor->child, executor->options.grace_us);

    readback_release(&executor->readback);
    shared_release(&executor->lent);
    executor->lent_serial = 0;
    enclosure_release(&executor->enclosure);
    executor_empty_slots(executor);
    vec_release(&executor->tensors);
    executor->is_open = false;
    return status;
}

static enum status start(struct executor *executor, struct error *err)
{
    struct process_spec spec = {
        .argv = executor->options.argv, .without_secrets = true, .own_session = true};
    enum status st;

    if (executor->child.process.pid)
        return STATUS_OK;
    st = enclosure_make(&executor->enclosure, err);
    if (!st)
        st = readback_create(&executor->readback, err);
    if (!st)
        st = shared_create(&executor->lent, err);
    if (!st) {
        spec.passed_fd = executor->readback.fd;
        spec.lent_fd = executor->lent.fd;
        spec.environment = executor->enclosure.environment;
        st = child_start(&executor->child, &spec, err);
    }
    if (st)
        executor_end(executor);
    return st;
}

/* The child is gone: say how. */
static enum status report_death(struct executor *executor, struct error *err)
{
    executor->outcome = child_outcome(executor_end(executor), err);
    return STATUS_INVALID;
}

enum status executor_report_flood(struct executor *executor, double bytes, struct error *err)
{
    executor->outcome = OUTCOME_FLOODED;
    return error_set(err, STATUS_INVALID, "a run printed %.0f bytes, expected at most %d", bytes,
                     PRINTED_MAX_BYTES);
}

/* Printing may be what took so long. */
static enum status report_timeout(struct executor *executor, int64_t limit_us, const char *what,
                                  struct error *err)
{
    int64_t printed = child_printed(&executor->child);

    executor_end(executor);
    if (printed > PRINTED_MAX_BYTES)
        return executor_report_flood(executor, (double)printed, err);
    executor->outcome = OUTCOME_TIMED_OUT;
    return error_set(err, STATUS_TIMEOUT, "%s took longer than %.3g s", what,
                     (double)limit_us * 1e-6);
}

static enum status report_memory(struct executor *executor, struct error *err)
{
    int64_t allowed = executor->child.allowed_bytes;

    executor_end(executor);
    executor->outcome = OUTCOME_OUT_OF_MEMORY;
    return error_set(err, STATUS_INVALID, "the kernel's process took more than %lld MB of memory",
                     (long long)(allowed >> 20));
}

static enum status report_crowd(struct executor *executor, struct error *err)
{
    executor_end(executor);
    executor->outcome = OUTCOME_CRASHED;
    return error_set(err, STATUS_INVALID, "the kernel's process started more than %d others",
                     CHILD_MAX_PROCESSES);
}

/* Wait for the answer's line. NULL with the error set when there is none. */
static const char *await_line(struct executor *executor, int64_t limit_us, const char *what,
                              struct error *err)
{
    const struct executor_options *o = &executor->options;
    const struct child_cancel cancel = {o->cancel_fd, o->is_cancelled, o->data};
    const char *line = NULL;

    switch (child_await(&executor->child, limit_us, &cancel, &line)) {
    case CHILD_LATE:
        report_timeout(executor, limit_us, what, err);
        break;
    case CHILD_GREEDY:
        report_memory(executor, err);
        break;
    case CHILD_CROWDED:
        report_crowd(executor, err);
        break;
    case CHILD_CANCELLED:
        executor_end(executor);
        error_set(err, STATUS_CANCELLED, "cancelled");
        break;
    case CHILD_GONE:
        report_death(executor, err);
        break;
    case CHILD_WAITING:
    case CHILD_ANSWERED:
    default:
        break;
    }
    return line;
}

static enum status send_request(struct executor *executor, const struct json *request,
                                struct error *err)
{
    struct strbuf text = {0};
    enum status st;

    json_print(request, &text);
    strbuf_adds(&text, "\n");
    st = child_send(&executor->child, strbuf_cstr(&text), err);
    strbuf_release(&text);
    return st ? report_death(executor, err) : STATUS_OK;
}

/* What a failure in the executor says: after an I/O error the device itself is in no state to go
 * on. */
static enum outcome outcome_of(enum status st)
{
    if (st == STATUS_UNAVAILABLE)
        return OUTCOME_OUT_OF_MEMORY;
    return st == STATUS_IO ? OUTCOME_CRASHED : OUTCOME_LAUNCH_FAILED;
}

/* Parse the answer; an error in it is the candidate's until a caller knows better. */
static enum status take_answer(struct executor *executor, const char *line, struct json **answer,
                               struct error *err)
{
    struct json *parsed = json_parse(line, strlen(line), NULL);
    enum status st;

    if (!parsed) {
        executor_end(executor);
        executor->outcome = OUTCOME_CRASHED;
        return error_set(err, STATUS_INVALID, "the kernel's process talks garbage");
    }
    st = wire_check(parsed, err);
    if (st) {
        executor->outcome = outcome_of(st);
        json_free(parsed);
        if (st == STATUS_IO)
            executor_end(executor);
        return st;
    }
    *answer = parsed;
    return STATUS_OK;
}

enum status executor_exchange(struct executor *executor, struct json *request, int64_t limit_us,
                              struct json **answer, struct error *err)
{
    const char *what = json_get_string(request, "do", "");
    const char *line = NULL;
    enum status st;

    executor->outcome = OUTCOME_NONE;
    st = start(executor, err);
    if (!st)
        st = send_request(executor, request, err);
    if (!st) {
        line = await_line(executor, limit_us, strcmp(what, "load") ? "the run" : "the build", err);
        st = line ? take_answer(executor, line, answer, err) : err->code;
    }
    json_free(request);
    return st;
}
