#include "core/session/recorded/fork.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "core/session/state/fold.h"
#include "core/session/store/commits.h"
#include "core/session/store/text_refs.h"
#include "core/system/file.h"

/* The state while a fork is made. */
struct fork {
    const struct recording *parent;
    struct history *history; /* holds the texts and candidates of the fork */
    struct session session;
    struct strbuf lines; /* lines of its journal */
    struct text_refs text_refs;
};

static enum status read_opening(const struct recording *parent, struct session_opened *opened,
                                struct error *err)
{
    union event_data data;
    enum status st = event_decode(&parent->opening, "session.opened", &data, err);

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
        *options = (struct fork_options){.agent = opened.agent,
                                         .roles = opened.roles,
                                         .limits = opened.limits,
                                         .gate = opened.policy};
    return st;
}

/* Count the events up to and including the proposal of a step. */
static enum status count_shared(const struct recording *parent, unsigned step, size_t *count,
                                struct error *err)
{
    unsigned proposed = 0;

    for (size_t i = 0; i < parent->events.count; i++) {
        proposed += parent->events.items[i].type == EVENT_STEP_PROPOSED;
        if (step > 0 && proposed == step) {
            *count = i + 1;
            return STATUS_OK;
        }
    }
    return error_set(err, STATUS_NOT_FOUND, "session %s has no step %u: it has %zu steps",
                     parent->session.id, step, parent->session.steps.count);
}

static enum status add_event(struct fork *fork, const struct event *event, struct error *err)
{
    enum status st = fold_apply(&fork->session, event, err);

    text_refs_add(&fork->text_refs, event);
    json_print(event->body, &fork->lines);
    strbuf_adds(&fork->lines, "\n");
    return st;
}

/* Store a text of the parent's folder as a blob; the blob's id must be the name of the file. */
static enum status adopt_text(struct fork *fork, const char *id, struct error *err)
{
    struct strbuf text = {0};
    char adopted[OBJECT_ID_SIZE];
    enum status st = recording_text(fork->parent, id, &text, err);

    if (!st)
        st = history_put(fork->history, strbuf_cstr(&text), text.len, adopted, err);
    if (!st && strcmp(adopted, id) != 0)
        st = error_set(err, STATUS_INVALID,
                       "%s/texts/%s: its name is not the id of its contents: the file was changed",
                       fork->parent->folder, id);
    strbuf_release(&text);
    return st;
}

/*
 * Commit a kept candidate again, because the commits that a folder names are in another repository.
 */
static enum status adopt_kept(struct fork *fork, const struct event *event, struct error *err)
{
    unsigned attempt = (unsigned)json_get_whole(event->body, "attempt", UINT_MAX, 0);
    char commit[OBJECT_ID_SIZE];
    enum status st;

    if (!session_attempt(&fork->session, attempt))
        return error_set(err, STATUS_INVALID, "event %" PRIu64 ": no attempt %u", event->seq,
                         attempt);
    st = commits_keep(fork->history, &fork->session, attempt, commit, err);
    if (!st) {
        struct event kept =
            event_make(EVENT_CANDIDATE_KEPT, &(struct candidate_kept){attempt, commit});

        event_stamp(&kept, event->seq, event_time(event));
        st = add_event(fork, &kept, err);
        event_release(&kept);
    }
    return st;
}

static enum status adopt_event(struct fork *fork, const struct event *event, struct error *err)
{
    const bool is_turn = event->type == EVENT_STEP_UNDONE || event->type == EVENT_STEP_REDONE;
    const struct attempt *tip = session_tip(&fork->session);
    const char *text = event_text(event);
    enum status st = text ? adopt_text(fork, text, err) : STATUS_OK;

    if (!st)
        st = event->type == EVENT_CANDIDATE_KEPT ? adopt_kept(fork, event, err)
                                                 : add_event(fork, event, err);
    return !st && is_turn ? commits_move_branch(fork->history, &fork->session, tip, err) : st;
}

static enum status follow_parent(struct fork *fork, size_t place, struct error *err)
{
    struct event event = {0};
    enum status st = recording_event(fork->parent, place, &event, err);

    if (!st)
        st = fork->parent->history ? add_event(fork, &event, err) : adopt_event(fork, &event, err);
    event_release(&event);
    return st;
}

static enum status add_opening(struct fork *fork, const struct session_opened *opened,
                               struct error *err)
{
    struct event event = event_make(EVENT_SESSION_OPENED, opened);
    enum status st;

    event_stamp(&event, 1, event_time(&fork->parent->opening));
    st = add_event(fork, &event, err);
    event_release(&event);
    return st;
}

static enum status add_events(struct fork *fork, size_t count, const struct fork_options *options,
                              const char *id, struct error *err)
{
    const struct recording *parent = fork->parent;
    char *repository = parent->history ? NULL : catalog_repository();
    struct session_opened opened;
    enum status st = read_opening(parent, &opened, err);

    opened.session = id;
    opened.forked_from = parent->session.id;
    opened.is_forked = true;
    opened.forked_at = (unsigned)count;
    opened.limits = options->limits;
    opened.policy = options->gate;
    if (repository)
        opened.repository = repository;
    if (options->agent)
        opened.agent = options->agent;
    opened.roles = options->roles;
    if (!opened.limits.attempts)
        opened.limits.attempts = roles_attempts(&opened.roles);
    if (!st)
        st = add_opening(fork, &opened, err);
    for (size_t i = 1; !st && i < count; i++)
        st = follow_parent(fork, i, err);
    free(repository);
    return st;
}

/* Write the journal last: it makes the session exist. */
static enum status write_all(struct fork *fork, struct error *err)
{
    const struct recording *parent = fork->parent;
    const char *id = fork->session.id;
    char *journal = catalog_journal(id);
    enum status st = parent->history
                         ? commits_share(fork->history, &parent->session, &fork->session, err)
                         : commits_add_settled(fork->history, &fork->session, err);

    if (!st)
        st = text_refs_commit(&fork->text_refs, fork->history, &fork->session, err);
    if (!st)
        st = catalog_make(id, err);
    if (!st)
        st = file_write(journal, fork->lines.data, fork->lines.len, err);
    free(journal);
    return st;
}

/* The parent's repository, or kforge's own if the parent is a folder. */
static enum status open_history(struct fork *fork, struct error *err)
{
    char *repository;
    enum status st;

    fork->history = fork->parent->history;
    if (fork->history)
        return STATUS_OK;
    repository = catalog_repository();
    st = history_open(repository, &fork->history, err);
    free(repository);
    return st;
}

enum status fork_session(const struct recording *parent, unsigned step,
                         const struct fork_options *options, char id[CATALOG_ID_SIZE],
                         struct error *err)
{
    struct fork fork = {.parent = parent};
    size_t count = 0;
    enum status st = count_shared(parent, step, &count, err);

    if (!st)
        st = open_history(&fork, err);
    catalog_new_id(id);
    if (!st)
        st = add_events(&fork, count, options, id, err);
    if (!st)
        st = write_all(&fork, err);
    if (!parent->history)
        history_close(fork.history);
    session_release(&fork.session);
    strbuf_release(&fork.lines);
    text_refs_release(&fork.text_refs);
    return st;
}
