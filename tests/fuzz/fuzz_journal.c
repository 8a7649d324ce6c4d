#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/base/file.h"
#include "core/session/engine.h"
#include "core/session/journal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A line that the fold takes must be written as it was read. */
static enum status fold(void *data, const struct event *event, struct error *err)
{
    struct session *session = data;
    enum status st = session_apply(session, event, err);
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
    struct session session = {0};
    char path[32];
    int fd = memfd_create("journal", MFD_CLOEXEC);

    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    if (fd < 0 || file_write_all(fd, data, size, NULL))
        abort();
    (void)!journal_read(path, fold, &session, NULL);
    session_release(&session);
    close(fd);
    return 0;
}
