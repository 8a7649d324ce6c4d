#include "core/suite/suite_session.h"

#include <stdlib.h>

#include "core/session/state/fold.h"
#include "core/session/store/catalog.h"
#include "core/session/store/journal.h"

static enum status fold(void *data, const struct event *event, struct error *err)
{
    return fold_apply(data, event, err);
}

enum status suite_session_read(const char *id, struct session *session, struct error *err)
{
    char *path = catalog_journal(id);
    enum status st = journal_read(path, fold, session, err);

    free(path);
    return st;
}
