#include "core/session/recording.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/file.h"
#include "core/base/vec.h"
#include "core/session/catalog.h"
#include "core/session/journal.h"

enum { MAX_TEXT_BYTES = 64 << 20 };

static const char journal_name[] = "events.jsonl";

static enum status fold(void *data, const struct event *event, struct error *err)
{
    struct recording *recording = data;
    struct event kept = {.seq = event->seq, .type = event->type, .body = json_dup(event->body)};

    vec_push(&recording->events, kept);
    return session_apply(&recording->session, event, err);
}

/* Whether a folder with a journal in it is there; then it is handed over. */
static bool take_folder(char *folder, char **found)
{
    char *journal = file_join(folder, journal_name);
    bool is_there = file_exists(journal);

    free(journal);
    if (is_there)
        *found = folder;
    else
        free(folder);
    return is_there;
}

/* A path, or a session that ships; NULL: it is neither. */
static char *find_folder(const char *name)
{
    struct strbuf shipped = {0};
    char *folder = NULL;

    strbuf_addf(&shipped, "prompts/sessions/%s", name);
    if (!take_folder(mem_strdup(name), &folder))
        take_folder(file_shipped(strbuf_cstr(&shipped)), &folder);
    strbuf_release(&shipped);
    return folder;
}

/* The folder holds the texts; NULL: the session's repository does. */
static enum status find(const char *name, char **journal, char **folder, struct error *err)
{
    char id[CATALOG_ID_SIZE];
    enum status st;

    *folder = find_folder(name);
    if (*folder) {
        *journal = file_join(*folder, journal_name);
        return STATUS_OK;
    }
    st = catalog_find(name, id, err);
    if (!st)
        *journal = catalog_journal(id);
    return st;
}

enum status recording_find_journal(const char *name, char **journal, struct error *err)
{
    char *folder;
    enum status st = find(name, journal, &folder, err);

    free(folder);
    return st;
}

/* A repository that is gone is not made again: it would be empty. */
static enum status open_history(struct recording *recording, struct error *err)
{
    const char *repository = recording->session.repository;

    if (!repository || !file_exists(repository))
        return error_set(err, STATUS_NOT_FOUND, "session %s: its repository %s is gone",
                         recording->session.id ? recording->session.id : "",
                         repository ? repository : "");
    return history_open(repository, &recording->history, err);
}

enum status recording_open(const char *name, struct recording *recording, struct error *err)
{
    struct recording opened = {0};
    char *journal;
    enum status st = find(name, &journal, &opened.folder, err);

    if (st)
        return st;
    st = journal_read(journal, fold, &opened, err);
    if (!st && !opened.session.problem[0])
        st = error_set(err, STATUS_INVALID, "%s: the session ended before it began", journal);
    if (!st && !opened.folder)
        st = open_history(&opened, err);
    free(journal);
    if (st)
        recording_release(&opened);
    else
        *recording = opened;
    return st;
}

void recording_release(struct recording *recording)
{
    for (size_t i = 0; i < recording->events.count; i++)
        event_release(&recording->events.items[i]);
    vec_release(&recording->events);
    session_release(&recording->session);
    history_close(recording->history);
    free(recording->folder);
    *recording = (struct recording){0};
}

static char *text_path(const char *folder, const char *id)
{
    struct strbuf path = {0};

    strbuf_addf(&path, "%s/texts/%s", folder, id);
    return strbuf_take(&path);
}

enum status recording_text(const struct recording *recording, const char *id, struct strbuf *out,
                           struct error *err)
{
    enum status st;
    char *path;

    if (recording->history)
        return history_get(recording->history, id, out, err);
    path = text_path(recording->folder, id);
    st = file_read(path, MAX_TEXT_BYTES, out, err);
    free(path);
    return st;
}

static enum status write_text(const struct recording *recording, const char *id, const char *folder,
                              struct error *err)
{
    char *path = text_path(folder, id);
    struct strbuf text = {0};
    enum status st = STATUS_OK;

    if (!file_exists(path))
        st = recording_text(recording, id, &text, err);
    if (!st && !file_exists(path))
        st = file_write(path, text.data, text.len, err);
    strbuf_release(&text);
    free(path);
    return st;
}

/* An event as it stands in a folder: the repository is the machine's, and not needed. */
static void add_line(const struct event *event, struct strbuf *lines)
{
    struct json *line = json_object_new();

    for (const struct json *m = json_first(event->body); m; m = json_next(m))
        if (event->type != EVENT_SESSION_OPENED || strcmp(json_key(m), "repository") != 0)
            json_put(line, json_key(m), json_dup(m));
    json_print(line, lines);
    strbuf_adds(lines, "\n");
    json_free(line);
}

enum status recording_write(const struct recording *recording, const char *folder,
                            struct error *err)
{
    char *texts = file_join(folder, "texts"), *journal = file_join(folder, journal_name);
    struct strbuf lines = {0};
    enum status st = file_make_folder(texts, err);

    for (size_t i = 0; !st && i < recording->events.count; i++) {
        const char *id = event_text(&recording->events.items[i]);

        add_line(&recording->events.items[i], &lines);
        if (id)
            st = write_text(recording, id, folder, err);
    }
    if (!st)
        st = file_write(journal, lines.data, lines.len, err);
    strbuf_release(&lines);
    free(journal);
    free(texts);
    return st;
}
