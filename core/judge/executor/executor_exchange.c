#include "core/judge/executor/executor_state.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/vec.h"
#include "core/judge/executor/wire.h"

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

    memfd_release(&executor->readback);
    memfd_release(&executor->lent);
    executor->lent_serial = 0;
    enclosure_release(&executor->enclosure);
    executor_empty_slots(executor);
    vec_release(&executor->tensors);
    memset(executor->built, 0, sizeof(executor->built));
    executor->is_open = false;
    executor->is_tainted = false;
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
        st = memfd_open(&executor->readback, err);
    if (!st)
        st = memfd_open(&executor->lent, err);
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

enum status executor_report_flood(struct executor *executor, double bytes, struct error *err)
{
    executor->outcome = OUTCOME_FLOODED;
    return error_set(err, STATUS_INVALID, "a run printed %.0f bytes, expected at most %d", bytes,
                     PRINTED_MAX_BYTES);
}

/* Printing may be what took so long. */
static enum status report_timeout(struct executor *executor, int64_t limit_us, bool is_build,
                                  struct error *err)
{
    int64_t printed = child_printed(&executor->child);

    executor_end(executor);
    if (printed > PRINTED_MAX_BYTES)
        return executor_report_flood(executor, (double)printed, err);
    executor->outcome = OUTCOME_TIMED_OUT;
    return error_set(err, STATUS_TIMEOUT, "%s took longer than %.3g s",
                     is_build ? "the build" : "the run", (double)limit_us * 1e-6);
}

/* The child has ended, or is ended for what it did: say so of the candidate. */
static enum status report_end(struct executor *executor, enum child_wait why, struct error *err)
{
    int64_t allowed = executor->child.allowed_bytes;
    int status = executor_end(executor);

    executor->outcome = OUTCOME_CRASHED;
    switch (why) {
    case CHILD_CANCELLED:
        executor->outcome = OUTCOME_NONE;
        return error_set(err, STATUS_CANCELLED, "cancelled");
    case CHILD_GREEDY:
        executor->outcome = OUTCOME_OUT_OF_MEMORY;
        return error_set(err, STATUS_INVALID,
                         "the kernel's process took more than %lld MB of memory",
                         (long long)(allowed >> 20));
    case CHILD_CROWDED:
        return error_set(err, STATUS_INVALID, "the kernel's process started more than %d others",
                         CHILD_MAX_PROCESSES);
    case CHILD_GARBLED:
        return error_set(err, STATUS_INVALID, "the kernel's process talks garbage");
    case CHILD_GONE:
    case CHILD_WAITING:
    case CHILD_ANSWERED:
    case CHILD_LATE:
    default:
        executor->outcome = child_outcome(status, err);
        return STATUS_INVALID;
    }
}

/* What a failure in the executor says: after an I/O error the device itself is in no state to go
 * on. */
static enum outcome outcome_of(enum status st)
{
    if (st == STATUS_UNAVAILABLE)
        return OUTCOME_OUT_OF_MEMORY;
    return st == STATUS_IO ? OUTCOME_CRASHED : OUTCOME_LAUNCH_FAILED;
}

/* An error in the answer is the candidate's until a caller knows better. */
static enum status check_answer(struct executor *executor, const struct json *answer,
                                struct error *err)
{
    enum status st = wire_check(answer, err);

    if (st)
        executor->outcome = outcome_of(st);
    if (st == STATUS_IO)
        executor_end(executor);
    return st;
}

static enum status ask(struct executor *executor, const struct json *request, int64_t limit_us,
                       struct json **answer, struct error *err)
{
    bool is_build = strcmp(json_get_string(request, "do", ""), "load") == 0;
    struct json *parsed;
    enum child_wait wait =
        child_ask(&executor->child, request, limit_us, &executor->options.cancel, &parsed);
    enum status st;

    if (wait == CHILD_LATE)
        return report_timeout(executor, limit_us, is_build, err);
    if (wait != CHILD_ANSWERED)
        return report_end(executor, wait, err);
    st = check_answer(executor, parsed, err);
    if (st)
        json_free(parsed);
    else
        *answer = parsed;
    return st;
}

enum status executor_exchange(struct executor *executor, struct json *request, int64_t limit_us,
                              struct json **answer, struct error *err)
{
    enum status st;

    executor->outcome = OUTCOME_NONE;
    st = start(executor, err);
    if (!st)
        st = ask(executor, request, limit_us, answer, err);
    json_free(request);
    return st;
}
