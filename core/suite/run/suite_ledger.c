#include "core/suite/run/suite_ledger.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/text.h"
#include "core/system/file.h"

enum { LOG_MAX_BYTES = 64 << 20, LEAST_ROOM_BYTES = 4096 };

void suite_ledger_record(struct suite_ledger *ledger, enum event_type type, const void *data)
{
    struct event event = event_make(type, data);

    if (!ledger->failure.code && !suite_store_record(ledger->store, &event, &ledger->failure))
        ledger->listener.recorded(ledger->listener.data, &event);
    event_release(&event);
    ledger->changed(ledger->data);
}

void suite_ledger_notice(const struct suite_ledger *ledger, const char *fmt, ...)
{
    struct strbuf text = {0};
    va_list args;

    if (!ledger->listener.notice)
        return;
    va_start(args, fmt);
    strbuf_vaddf(&text, fmt, args);
    va_end(args);
    ledger->listener.notice(ledger->listener.data, strbuf_cstr(&text));
    strbuf_release(&text);
}

void suite_ledger_start(struct suite_ledger *ledger, size_t task, const char *session,
                        const char *host)
{
    const struct suite *suite = &ledger->store->suite;
    struct suite_task at = suite_task_at(suite, task);
    const char *own = ledger->store->state.tasks[task].session;
    struct strbuf label = {0};
    struct task_started started = {(unsigned)task + 1,
                                   own[0] ? own : session,
                                   NULL,
                                   suite->arms.items[at.arm].name,
                                   at.repeat + 1,
                                   host};

    suite_add_label(suite, at.problem, &label);
    started.problem = strbuf_cstr(&label);
    suite_ledger_record(ledger, EVENT_TASK_STARTED, &started);
    strbuf_release(&label);
}

/*
 * Find the reason of a failure: the last line "kforge: ..." in the output of the task's process,
 * which is lost if the disk is full.
 */
static void find_reason(const struct suite_ledger *ledger, size_t task, struct strbuf *reason)
{
    static const char mark[] = "kforge: ";
    char *path = suite_store_log(ledger->store, task);
    struct strbuf text = {0};
    const char *line = NULL;

    if (!file_read(path, LOG_MAX_BYTES, &text, NULL))
        for (const char *at = strbuf_cstr(&text); at; at = strchr(at, '\n')) {
            at += *at == '\n';
            if (text_begins(at, mark))
                line = at + strlen(mark);
        }
    if (line)
        strbuf_add(reason, line, strcspn(line, "\n"));
    else if (!file_has_room(path, LEAST_ROOM_BYTES))
        strbuf_addf(reason, "%s: no space is left on the device", ledger->store->folder);
    else
        strbuf_addf(reason, "gave no reason: see %s", path);
    strbuf_release(&text);
    free(path);
}

static void record_failure(struct suite_ledger *ledger, size_t task, const char *reason)
{
    const char *session = ledger->store->state.tasks[task].session;
    struct task_failed failed = {(unsigned)task + 1, session, reason};
    struct strbuf found = {0};

    if (!reason) {
        find_reason(ledger, task, &found);
        failed.reason = strbuf_cstr(&found);
    }
    suite_ledger_record(ledger, EVENT_TASK_FAILED, &failed);
    strbuf_release(&found);
}

static void await_decision(struct suite_ledger *ledger, size_t task)
{
    struct error err = {0};

    if (ledger->listener.asks)
        ledger->listener.asks(ledger->listener.data, task);
    if (suite_asking_add(&ledger->asking, task, &err))
        ledger->failure = err;
}

void suite_ledger_end(struct suite_ledger *ledger, size_t task, const struct task_exit *how)
{
    static const enum task_result results[] = {
        [0] = TASK_IMPROVED, [1] = TASK_NO_GAIN, [3] = TASK_INCORRECT, [4] = TASK_OVER_BUDGET};
    struct task_ended ended = {(unsigned)task + 1, ledger->store->state.tasks[task].session,
                               TASK_IMPROVED};
    size_t code = how->code < 0 ? SIZE_MAX : (size_t)how->code;

    if (code < COUNT(results) && (code == 0 || results[code] != TASK_IMPROVED)) {
        ended.result = results[code];
        suite_ledger_record(ledger, EVENT_TASK_ENDED, &ended);
    } else if (code == SUITE_EXIT_ASKS) {
        await_decision(ledger, task);
    } else if (!ledger->is_stopping) {
        record_failure(ledger, task, how->reason);
    }
    suite_budget_count(&ledger->budget, task);
    ledger->changed(ledger->data);
}
