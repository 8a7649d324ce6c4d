#include "core/session/anchor.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/vec.h"

/* Says in a commit's message up to which event texts are held. */
static const char trailer[] = "Kforge-Events: ";

void anchor_add(struct anchor *anchor, const struct event *event)
{
    const char *id = event_text(event);
    struct anchor_text text = {.seq = event->seq};

    if (!id)
        return;
    snprintf(text.name, sizeof(text.name), "%06" PRIu64 "-%s", event->seq, event_name(event->type));
    snprintf(text.id, sizeof(text.id), "%s", id);
    vec_push(&anchor->texts, text);
}

static char *texts_ref(const struct session *session)
{
    struct strbuf ref = {0};

    strbuf_addf(&ref, "refs/kforge/%s/texts", session->id);
    return strbuf_take(&ref);
}

static void drop_until(struct anchor *anchor, uint64_t seq)
{
    size_t kept = 0;

    for (size_t i = 0; i < anchor->texts.count; i++)
        if (anchor->texts.items[i].seq > seq)
            anchor->texts.items[kept++] = anchor->texts.items[i];
    anchor->texts.count = kept;
}

/* What an earlier process has committed; where there is nothing yet, all is new. */
static enum status drop_committed(struct anchor *anchor, const struct history *history,
                                  const char *ref, struct error *err)
{
    char tip[HISTORY_ID_SIZE];
    struct strbuf message = {0};
    enum status st = history_find(history, ref, tip, &message, err);
    const char *found = st ? NULL : strstr(strbuf_cstr(&message), trailer);

    if (found)
        drop_until(anchor, strtoull(found + strlen(trailer), NULL, 10));
    strbuf_release(&message);
    return st == STATUS_NOT_FOUND ? STATUS_OK : st;
}

static enum status commit_texts(const struct anchor *anchor, struct history *history,
                                const struct session *session, const char *ref, struct error *err)
{
    size_t count = anchor->texts.count;
    struct history_file *files = mem_alloc_zeroed(count, sizeof(*files));
    struct history_commit commit = {.ref = ref,
                                    .author_name = "kforge",
                                    .author_email = "kforge@localhost",
                                    .files = files,
                                    .file_count = count};
    struct strbuf message = {0};
    char id[HISTORY_ID_SIZE];
    enum status st;

    for (size_t i = 0; i < count; i++)
        files[i] = (struct history_file){anchor->texts.items[i].name, anchor->texts.items[i].id};
    strbuf_addf(&message, "%s: texts\n\nKforge-Session: %s\n%s%" PRIu64 "\n", session->problem_name,
                session->id, trailer, anchor->texts.items[count - 1].seq);
    commit.message = strbuf_cstr(&message);
    st = history_commit(history, &commit, id, err);
    strbuf_release(&message);
    free(files);
    return st;
}

enum status anchor_commit(struct anchor *anchor, struct history *history,
                          const struct session *session, struct error *err)
{
    enum status st = STATUS_OK;
    char *ref;

    if (anchor->texts.count == 0)
        return STATUS_OK;
    ref = texts_ref(session);
    if (!anchor->is_looked_up)
        st = drop_committed(anchor, history, ref, err);
    anchor->is_looked_up = !st;
    if (!st && anchor->texts.count > 0)
        st = commit_texts(anchor, history, session, ref, err);
    if (!st)
        anchor->texts.count = 0;
    free(ref);
    return st;
}

void anchor_release(struct anchor *anchor)
{
    vec_release(&anchor->texts);
    *anchor = (struct anchor){0};
}
