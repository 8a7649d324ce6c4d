#include "core/suite/report/suite_verdicts.h"

#include <string.h>

#include "core/base/mem.h"
#include "core/base/vec.h"
#include "core/model/baseline_label.h"
#include "core/session/state/scaled_verdict.h"
#include "core/session/store/catalog.h"
#include "core/session/store/history.h"
#include "core/system/file.h"

/*
 * Find the path of a session's repository; the caller frees. The journal has the path on the
 * machine that ran the session. If it does not exist here, kforge's own repository is used.
 */
static char *find_repository(const struct session *session)
{
    const char *own = session->repository;

    return own && file_exists(own) ? mem_strdup(own) : catalog_repository();
}

/* Open the repository of a session, unless it is open already; NULL if there is none. */
static const struct history *open_history(struct suite_verdicts *verdicts,
                                          const struct session *session)
{
    char *path = find_repository(session);

    if (verdicts->path && strcmp(verdicts->path, path) == 0) {
        free(path);
        return verdicts->history;
    }
    suite_verdicts_close(verdicts);
    verdicts->path = path;
    if (history_reopen(path, &verdicts->history, NULL))
        verdicts->history = NULL;
    return verdicts->history;
}

/* The best attempt, or else the last judged one; NULL if none was judged. */
static const struct attempt *find_attempt(const struct session *session)
{
    const struct attempt *found = session_attempt(session, session->now.best);

    for (size_t i = session->attempts.count; !found && i > 0; i--)
        if (session->attempts.items[i - 1].verdict[0])
            found = &session->attempts.items[i - 1];
    return found && found->verdict[0] ? found : NULL;
}

static enum status read_verdict(const struct history *history, const struct attempt *attempt,
                                struct verdict *verdict)
{
    struct strbuf text = {0};
    struct json *json = NULL;
    struct json_ref root;
    struct error err;
    enum status st = history_get(history, attempt->verdict, &text, &err);

    if (!st && !(json = json_parse(strbuf_cstr(&text), text.len, &err)))
        st = STATUS_INVALID;
    if (!st) {
        root = json_ref_root(json, "verdict");
        st = verdict_decode(verdict, &root, &err);
    }
    json_free(json);
    strbuf_release(&text);
    return st;
}

static void take_speedups(const struct verdict *verdict, struct report_row *row)
{
    for (size_t i = 0; i < verdict->against.count; i++) {
        const struct comparison *other = &verdict->against.items[i];
        const struct ratio ratio = {other->speedup, other->speedup_low, other->speedup_high};

        if (!baseline_is_candidate(other->name) && other->speedup > 0)
            vec_push(&row->speedups, ((struct report_speedup){mem_strdup(other->name), ratio}));
    }
}

static void take_machine(struct provenance *where, struct report_row *row)
{
    row->has_machine = true;
    row->machine = (struct report_machine){.host = where->host,
                                           .device = where->device,
                                           .driver = where->driver,
                                           .compiler = where->compiler,
                                           .version = where->version};
    where->host = where->device = where->driver = where->compiler = where->version = NULL;
}

bool suite_verdicts_add(struct suite_verdicts *verdicts, const struct session *session,
                        struct report_row *row)
{
    const struct attempt *attempt = find_attempt(session);
    const struct history *history = attempt ? open_history(verdicts, session) : NULL;
    struct verdict verdict = {0};

    if (attempt && (!history || read_verdict(history, attempt, &verdict))) {
        verdict_release(&verdict);
        return false;
    }
    if (attempt) {
        take_machine(&verdict.where, row);
        if (attempt->number == session->now.best) {
            scaled_verdict_make(session, attempt, &verdict);
            take_speedups(&verdict, row);
        }
    }
    verdict_release(&verdict);
    return true;
}

void suite_verdicts_close(struct suite_verdicts *verdicts)
{
    history_close(verdicts->history);
    free(verdicts->path);
    *verdicts = (struct suite_verdicts){0};
}
