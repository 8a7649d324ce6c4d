#include "core/session/recorded/port.h"

#include <stdlib.h>
#include <string.h>

#include "core/agent/reply/reply.h"
#include "core/model/language.h"
#include "core/session/state/fold.h"
#include "core/session/store/text_refs.h"
#include "core/system/file.h"

enum { SHARED_EVENTS = 2 }; /* the opening and the problem */

/* The state while the session is made. */
struct port {
    struct history *history; /* kforge's own, or the parent's */
    struct session session;
    struct strbuf lines; /* lines of its journal */
    struct text_refs text_refs;
};

static enum status add_event(struct port *port, enum event_type type, const void *data,
                             struct error *err)
{
    struct event event = event_make(type, data);
    char now[CLOCK_STAMP_SIZE];
    enum status st;

    clock_stamp(now);
    event_stamp(&event, port->session.events + 1, now);
    st = fold_apply(&port->session, &event, err);
    text_refs_add(&port->text_refs, &event);
    json_print(event.body, &port->lines);
    strbuf_adds(&port->lines, "\n");
    event_release(&event);
    return st;
}

static enum status put(struct port *port, const struct strbuf *text, char id[OBJECT_ID_SIZE],
                       struct error *err)
{
    return history_put(port->history, strbuf_cstr(text), text->len, id, err);
}

/* The best kernel of the parent, and the reply that it is from. */
static enum status read_best(const struct recording *parent, struct candidate *candidate,
                             struct strbuf *reply, struct error *err)
{
    const struct session *session = &parent->session;
    const struct attempt *best = session_attempt(session, session->now.best);
    enum status st;

    if (!best)
        return error_set(err, STATUS_INVALID,
                         "session %s has no kept kernel to port: start a new session with kforge "
                         "run",
                         session->id);
    st = recording_text(parent, best->candidate, reply, err);
    return st ? st
              : reply_parse(strbuf_cstr(reply), session_language(session, best->number), candidate,
                            err);
}

/* The language to write: the wanted one, or the default language of the named device. */
static enum status choose_language(const struct recording *parent, const struct port_target *target,
                                   const char **language, struct error *err)
{
    const struct language *own = target->device ? language_of_device(target->device) : NULL;

    *language = target->language ? target->language : parent->session.language;
    if (target->language || !target->device)
        return STATUS_OK;
    if (!own)
        return error_set(err, STATUS_INVALID,
                         "--device %s: its language is not known here: name one with --language",
                         target->device);
    *language = own->name;
    return STATUS_OK;
}

static enum status add_opening(struct port *port, const struct recording *parent,
                               struct session_opened *opened, struct error *err)
{
    struct candidate best = {0};
    struct strbuf source = {0}, reply = {0};
    char source_id[OBJECT_ID_SIZE], reply_id[OBJECT_ID_SIZE];
    enum status st = read_best(parent, &best, &reply, err);

    if (!st) {
        strbuf_adds(&source, best.source);
        st = put(port, &source, source_id, err);
    }
    if (!st)
        st = put(port, &reply, reply_id, err);
    if (!st) {
        opened->reference = source_id;
        opened->reference_reply = reply_id;
        opened->reference_language = language_of(best.language)->name;
        opened->reference_name = language_of(best.language)->source_file;
        st = add_event(port, EVENT_SESSION_OPENED, opened, err);
        opened->reference = opened->reference_reply = NULL;
    }
    strbuf_release(&source);
    strbuf_release(&reply);
    candidate_release(&best);
    return st;
}

static enum status add_problem(struct port *port, const struct recording *parent, struct error *err)
{
    struct problem_loaded loaded = {.name = parent->session.problem_name};
    struct strbuf text = {0};
    char id[OBJECT_ID_SIZE];
    enum status st = recording_text(parent, parent->session.problem, &text, err);

    if (!st)
        st = put(port, &text, id, err);
    loaded.text = id;
    if (!st)
        st = add_event(port, EVENT_PROBLEM_LOADED, &loaded, err);
    strbuf_release(&text);
    return st;
}

/* Write the journal last: it makes the session exist. */
static enum status write_all(struct port *port, struct error *err)
{
    char *journal = catalog_journal(port->session.id);
    enum status st = text_refs_commit(&port->text_refs, port->history, &port->session, err);

    if (!st)
        st = catalog_make(port->session.id, err);
    if (!st)
        st = file_write(journal, port->lines.data, port->lines.len, err);
    free(journal);
    return st;
}

static enum status make(struct port *port, const struct recording *parent,
                        struct session_opened *opened, struct error *err)
{
    enum status st =
        parent->history ? STATUS_OK : history_open(opened->repository, &port->history, err);

    if (parent->history)
        port->history = parent->history;
    if (!st)
        st = add_opening(port, parent, opened, err);
    if (!st)
        st = add_problem(port, parent, err);
    if (!st)
        st = write_all(port, err);
    if (!parent->history)
        history_close(port->history);
    return st;
}

enum status port_session(const struct recording *parent, const struct port_target *target,
                         const struct fork_options *options, char id[CATALOG_ID_SIZE],
                         struct error *err)
{
    const struct session *from = &parent->session;
    char *repository = parent->history ? NULL : catalog_repository();
    struct session_opened opened = {
        .session = id,
        .problem = from->problem_name,
        .agent = options->agent ? options->agent : from->agent,
        .roles = options->roles,
        .device = target->device ? target->device : from->device,
        .repository = repository ? repository : from->repository,
        .limits = options->limits,
        .policy = options->gate,
        .forked_from = from->id,
        .is_forked = true,
        .forked_at = SHARED_EVENTS,
    };
    struct port port = {0};
    enum status st = choose_language(parent, target, &opened.language, err);

    if (!opened.limits.attempts)
        opened.limits.attempts = roles_attempts(&opened.roles);
    catalog_new_id(id);
    if (!st)
        st = make(&port, parent, &opened, err);
    session_release(&port.session);
    strbuf_release(&port.lines);
    text_refs_release(&port.text_refs);
    free(repository);
    return st;
}
