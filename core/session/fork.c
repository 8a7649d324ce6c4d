#include "core/session/fork.h"

#include <stdlib.h>

#include "core/base/file.h"
#include "core/session/anchor.h"
#include "core/session/archive.h"

/* A fork on its way: its state, its journal, and the texts that it names. */
struct fork {
    struct session session;
    struct strbuf lines;
    struct anchor anchor;
};

static enum status read_opening(const struct recording *parent, struct session_opened *opened,
                                struct error *err)
{
    union event_data data;
    enum status st = event_decode(&parent->events.items[0], "session.opened", &data, err);

    if (!st)
        *opened = data.session_opened;
    return st;
}

enum status fork_read_options(const struct recording *parent, struct fork_options *options,
                              struct error *err)
{
    struct session_opened opened;
    enum status st = read_opening(parent, &opened, err);

    if (!st)
        *options = (struct fork_options){
            .agent = opened.agent, .limits = opened.limits, .gate = opened.policy};
    return st;
}

/* How many events there are up to the proposal of a step. */
static enum status count_shared(const struct recording *parent, unsigned step, size_t *count,
                                struct error *err)
{
    for (size_t i = 0; i < parent->events.count; i++) {
        const struct event *event = &parent->events.items[i];

        if (event->type == EVENT_STEP_PROPOSED &&
            json_get_number(event->body, "step", 0) == (double)step) {
            *count = i + 1;
            return STATUS_OK;
        }
    }
    return error_set(err, STATUS_NOT_FOUND, "session %s has no step %u: there are %zu",
                     parent->session.id, step, parent->session.steps.count);
}

static enum status add_event(struct fork *fork, const struct event *event, struct error *err)
{
    enum status st = session_apply(&fork->session, event, err);

    anchor_add(&fork->anchor, event);
    json_print(event->body, &fork->lines);
    strbuf_adds(&fork->lines, "\n");
    return st;
}

static enum status add_opening(struct fork *fork, const struct recording *parent,
                               const struct session_opened *opened, struct error *err)
{
    struct event event = event_session_opened(opened);
    enum status st;

    event_stamp(&event, 1, event_time(&parent->events.items[0]));
    st = add_event(fork, &event, err);
    event_release(&event);
    return st;
}

static enum status add_events(struct fork *fork, const struct recording *parent, size_t count,
                              const struct fork_options *options, const char *id, struct error *err)
{
    struct session_opened opened;
    enum status st = read_opening(parent, &opened, err);

    opened.session = id;
    opened.forked_from = parent->session.id;
    opened.is_forked = true;
    opened.forked_at = (unsigned)count;
    opened.limits = options->limits;
    opened.policy = options->gate;
    if (options->agent)
        opened.agent = options->agent;
    if (!st)
        st = add_opening(fork, parent, &opened, err);
    for (size_t i = 1; !st && i < count; i++)
        st = add_event(fork, &parent->events.items[i], err);
    return st;
}

/* The journal comes last: with it, the session is there. */
static enum status write_all(struct fork *fork, const struct recording *parent, struct error *err)
{
    const char *id = fork->session.id;
    char *journal = catalog_journal(id);
    enum status st = archive_share(parent->history, &parent->session, &fork->session, err);

    if (!st)
        st = anchor_commit(&fork->anchor, parent->history, &fork->session, err);
    if (!st)
        st = catalog_make(id, err);
    if (!st)
        st = file_write(journal, fork->lines.data, fork->lines.len, err);
    free(journal);
    return st;
}

enum status fork_session(const struct recording *parent, unsigned step,
                         const struct fork_options *options, char id[CATALOG_ID_SIZE],
                         struct error *err)
{
    struct fork fork = {0};
    size_t count = 0;
    enum status st = count_shared(parent, step, &count, err);

    if (!st && !parent->history)
        st = error_set(err, STATUS_INVALID,
                       "%s: a recording without a repository can be read, not gone on with",
                       parent->folder);
    catalog_new_id(id);
    if (!st)
        st = add_events(&fork, parent, count, options, id, err);
    if (!st)
        st = write_all(&fork, parent, err);
    session_release(&fork.session);
    strbuf_release(&fork.lines);
    anchor_release(&fork.anchor);
    return st;
}
