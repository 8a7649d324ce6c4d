#include <stdlib.h>

#include "core/session/state/engine.h"
#include "core/session/state/fold.h"
#include "core/session/store/journal.h"
#include "tests/fuzz/memory_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* An event that the fold accepts must survive being printed and parsed again. */
static enum status fold(void *data, const struct event *event, struct error *err)
{
    struct session *session = data;
    enum status st = fold_apply(session, event, err);
    struct strbuf line = {0};
    struct event again = {0};

    if (st)
        return st;
    json_print(event->body, &line);
    if (event_parse(&again, strbuf_cstr(&line), "again", NULL) || again.seq != event->seq ||
        again.type != event->type)
        abort();
    (void)engine_next(session);
    event_release(&again);
    strbuf_release(&line);
    return STATUS_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct memory_file file = memory_file_open(data, size);
    struct session session = {0};

    (void)!journal_read(file.path, fold, &session, NULL);
    session_release(&session);
    memory_file_close(&file);
    return 0;
}
