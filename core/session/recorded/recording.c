#include "core/session/recorded/recording.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/vec.h"
#include "core/session/state/fold.h"
#include "core/session/state/scaled_verdict.h"
#include "core/session/store/catalog.h"
#include "core/session/store/journal.h"
#include "core/system/file.h"

enum { MAX_TEXT_BYTES = 64 << 20, MAX_JOURNAL_BYTES = 1 << 30 };

static const char journal_name[] = "events.jsonl";

/* The state while a recording is read. */
struct reading {
    struct recording *recording;
    const struct recording_listener *listener; /* NULL for none */
};

static enum status fold(void *data, const struct event *event, struct error *err)
{
    const struct reading *reading = data;
    struct recording *recording = reading->recording;
    struct recorded recorded = {.type = event->type};
    enum status st = fold_apply(&recording->session, event, err);

    if (st)
        return st;
    if (!clock_read_stamp(event_time(event), &recorded.at_us))
        recorded.at_us = 0;
    vec_push(&recording->events, recorded);
    if (reading->listener)
        reading->listener->folded(reading->listener->data, &recording->session);
    return STATUS_OK;
}

/* Keep the lines of the folded events; the journal of a running session may have grown since. */
static enum status keep_lines(struct recording *recording, const char *journal, struct error *err)
{
    enum status st = file_read(journal, MAX_JOURNAL_BYTES, &recording->lines, err);
    char *line = recording->lines.data, *end = st ? line : line + recording->lines.len;

    for (size_t i = 0; !st && i < recording->events.count; i++) {
        char *newline = memchr(line, '\n', (size_t)(end - line));

        if (!newline)
            return error_set(err, STATUS_IO, "%s: became shorter while kforge read it", journal);
        recording->events.items[i].line = (size_t)(line - recording->lines.data);
        *newline = '\0';
        line = newline + 1;
    }
    return st ? st : recording_event(recording, 0, &recording->opening, err);
}

enum status recording_event(const struct recording *recording, size_t place, struct event *event,
                            struct error *err)
{
    char name[32];

    snprintf(name, sizeof(name), "event %zu", place + 1);
    return event_parse(event, recording->lines.data + recording->events.items[place].line, name,
                       err);
}

/* If the folder holds a journal, pass it to the caller; otherwise free it and return false. */
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

/* The folder at a path or among those that kforge ships; NULL for neither. */
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

bool recording_is_named(const char *name)
{
    char *folder = find_folder(name);
    bool is_there = folder;

    free(folder);
    return is_there;
}

/* Find the journal of a name, and the folder with its texts; NULL if a repository holds them. */
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

static enum status open_history(struct recording *recording, struct error *err)
{
    const char *repository = recording->session.repository;

    return history_reopen(repository ? repository : "", &recording->history, err);
}

enum status recording_open(const char *name, struct recording *recording, struct error *err)
{
    return recording_follow(name, NULL, recording, err);
}

enum status recording_follow(const char *name, const struct recording_listener *listener,
                             struct recording *recording, struct error *err)
{
    struct recording opened = {0};
    struct reading reading = {&opened, listener};
    char *journal;
    enum status st = find(name, &journal, &opened.folder, err);

    if (st)
        return st;
    if (listener)
        opened.session.changes = listener->changes;
    st = journal_read(journal, fold, &reading, err);
    opened.session.changes = NULL;
    if (!st && !opened.session.problem[0])
        st = error_set(
            err, STATUS_INVALID,
            "%s: the session ended before its problem was loaded: start a new one with kforge run",
            journal);
    if (!st)
        st = keep_lines(&opened, journal, err);
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
    event_release(&recording->opening);
    strbuf_release(&recording->lines);
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

/* Add the line of an event without the path of the repository, which a folder does not need. */
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

/* Add the line of an event, and write the text that it names. */
static enum status write_event(const struct recording *recording, size_t place, const char *folder,
                               struct strbuf *lines, struct error *err)
{
    struct event event = {0};
    enum status st = recording_event(recording, place, &event, err);
    const char *id = st ? NULL : event_text(&event);

    if (!st)
        add_line(&event, lines);
    if (id)
        st = write_text(recording, id, folder, err);
    event_release(&event);
    return st;
}

enum status recording_write(const struct recording *recording, const char *folder,
                            struct error *err)
{
    char *texts = file_join(folder, "texts"), *journal = file_join(folder, journal_name);
    struct strbuf lines = {0};
    enum status st = file_make_folder(texts, err);

    for (size_t i = 0; !st && i < recording->events.count; i++)
        st = write_event(recording, i, folder, &lines, err);
    if (!st)
        st = file_write(journal, lines.data, lines.len, err);
    strbuf_release(&lines);
    free(journal);
    free(texts);
    return st;
}

enum status recording_verdict(const struct recording *recording, const struct attempt *attempt,
                              struct verdict *verdict, struct error *err)
{
    struct strbuf text = {0};
    struct json *json = NULL;
    enum status st = recording_text(recording, attempt->verdict, &text, err);

    if (!st && !(json = json_parse(strbuf_cstr(&text), text.len, err)))
        st = STATUS_INVALID;
    if (!st) {
        struct json_ref root = json_ref_root(json, "verdict");

        st = verdict_decode(verdict, &root, err);
        if (st)
            verdict_release(verdict);
        else
            scaled_verdict_make(&recording->session, attempt, verdict);
    }
    json_free(json);
    strbuf_release(&text);
    return st;
}
