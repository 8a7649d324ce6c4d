#include "tui/screens/suite/text_source.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"

static enum status open_history(struct text_source *source, const char *path, struct error *err)
{
    enum status st;

    if (source->history && strcmp(source->path, path) == 0)
        return STATUS_OK;
    text_source_close(source);
    st = history_reopen(path, &source->history, err);
    if (!st)
        source->path = mem_strdup(path);
    return st;
}

enum status text_source_read(struct text_source *source, const struct session *session,
                             const char *id, struct strbuf *out, struct error *err)
{
    enum status st = open_history(source, session->repository ? session->repository : "", err);

    return st ? st : history_get(source->history, id, out, err);
}

void text_source_close(struct text_source *source)
{
    history_close(source->history);
    free(source->path);
    *source = (struct text_source){0};
}
