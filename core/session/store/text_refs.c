#include "core/session/store/text_refs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/vec.h"

/*
 * The trailer of a commit's message. Its value is the number of the last event whose text is held.
 */
static const char trailer[] = "Kforge-Events: ";

void text_refs_add(struct text_refs *text_refs, const struct event *event)
{
    const char *id = event_text(event);
    struct text_ref text = {.seq = event->seq};

    if (!id)
        return;
    snprintf(text.name, sizeof(text.name), "%06" PRIu64 "-%s", event->seq, event_name(event->type));
    snprintf(text.id, sizeof(text.id), "%s", id);
    vec_push(&text_refs->texts, text);
}

static char *texts_ref(const struct session *session)
{
    struct strbuf ref = {0};

    strbuf_addf(&ref, "refs/kforge/%s/texts", session->id);
    return strbuf_take(&ref);
}

static void drop_until(struct text_refs *text_refs, uint64_t seq)
{
    size_t kept = 0;

    for (size_t i = 0; i < text_refs->texts.count; i++)
        if (text_refs->texts.items[i].seq > seq)
            text_refs->texts.items[kept++] = text_refs->texts.items[i];
    text_refs->texts.count = kept;
}

/* Drop the texts that an earlier process committed; does nothing if the ref does not exist. */
static enum status drop_committed(struct text_refs *text_refs, const struct history *history,
                                  const char *ref, struct error *err)
{
    char tip[OBJECT_ID_SIZE];
    struct strbuf message = {0};
    enum status st = history_find(history, ref, tip, &message, err);
    const char *found = st ? NULL : strstr(strbuf_cstr(&message), trailer);

    if (found)
        drop_until(text_refs, strtoull(found + strlen(trailer), NULL, 10));
    strbuf_release(&message);
    return st == STATUS_NOT_FOUND ? STATUS_OK : st;
}

static enum status commit_texts(const struct text_refs *text_refs, struct history *history,
                                const struct session *session, const char *ref, struct error *err)
{
    size_t count = text_refs->texts.count;
    struct history_file *files = mem_alloc_zeroed(count, sizeof(*files));
    struct history_commit commit = {.ref = ref,
                                    .author_name = "kforge",
                                    .author_email = "kforge@localhost",
                                    .files = files,
                                    .file_count = count};
    struct strbuf message = {0};
    char id[OBJECT_ID_SIZE];
    enum status st;

    for (size_t i = 0; i < count; i++)
        files[i] =
            (struct history_file){text_refs->texts.items[i].name, text_refs->texts.items[i].id};
    strbuf_addf(&message, "%s: texts\n\nKforge-Session: %s\n%s%" PRIu64 "\n", session->problem_name,
                session->id, trailer, text_refs->texts.items[count - 1].seq);
    commit.message = strbuf_cstr(&message);
    st = history_commit(history, &commit, id, err);
    strbuf_release(&message);
    free(files);
    return st;
}

enum status text_refs_commit(struct text_refs *text_refs, struct history *history,
                             const struct session *session, struct error *err)
{
    enum status st = STATUS_OK;
    char *ref;

    if (text_refs->texts.count == 0)
        return STATUS_OK;
    ref = texts_ref(session);
    if (!text_refs->is_looked_up)
        st = drop_committed(text_refs, history, ref, err);
    text_refs->is_looked_up = !st;
    if (!st && text_refs->texts.count > 0)
        st = commit_texts(text_refs, history, session, ref, err);
    if (!st)
        text_refs->texts.count = 0;
    free(ref);
    return st;
}

void text_refs_release(struct text_refs *text_refs)
{
    vec_release(&text_refs->texts);
    *text_refs = (struct text_refs){0};
}
