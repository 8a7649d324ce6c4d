#include "tui/screens/session_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/base/vec.h"
#include "core/session/state/fold.h"
#include "core/session/state/scale.h"
#include "core/session/state/session.h"
#include "core/session/store/journal.h"

enum status session_list_open(struct session_list *list, struct error *err)
{
    return catalog_list(&list->unread, &list->unread_count, err);
}

static void release_session(struct listed_session *session)
{
    free(session->problem);
    free(session->agent);
    free(session->device);
    free(session->forked_from);
    free(session->over);
    free(session->trouble);
}

void session_list_release(struct session_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        release_session(&list->items[i]);
    while (list->unread_count > 0)
        free(list->unread[--list->unread_count]);
    free(list->unread);
    vec_release(list);
    *list = (struct session_list){0};
}

enum status session_list_reopen(struct session_list *list, struct error *err)
{
    session_list_release(list);
    return session_list_open(list, err);
}

static enum status fold(void *data, const struct event *event, struct error *err)
{
    return fold_apply(data, event, err);
}

static char *dup_or_empty(const char *text)
{
    return mem_strdup(text ? text : "");
}

static struct listed_session describe(const struct session *session)
{
    const struct attempt *best = session_attempt(session, session->now.best);
    struct listed_session listed = {
        .problem = dup_or_empty(session->problem_name),
        .agent = dup_or_empty(session->agent),
        .device = dup_or_empty(session->device),
        .forked_from = dup_or_empty(session->forked_from),
        .state = session->now.stage == STAGE_CLOSED ? SESSION_CLOSED : SESSION_OPEN,
        .attempts = session->attempts.count,
        .best_us = best ? best->time.median_us : 0,
        .best_speedup = best ? scale_speedup(session, best) : 0,
        .over = scale_strongest(session) ? mem_strdup(scale_strongest(session)) : NULL,
        .has_usd = !session->unknown[RESOURCE_USD],
        .usd = session->used[RESOURCE_USD],
    };

    snprintf(listed.at, sizeof(listed.at), "%s", session->at);
    return listed;
}

/* The process that writes a journal holds a lock on it. */
static void note_owner(struct listed_session *listed, const char *journal)
{
    pid_t owner = journal_owner(journal);

    if (owner)
        listed->state = owner == getpid() ? SESSION_HERE : SESSION_RUNNING;
}

bool session_list_read(struct session_list *list)
{
    struct session session = {0};
    struct listed_session listed;
    struct error err = {0};
    char *id, *path;

    if (list->unread_count == 0)
        return false;
    id = list->unread[--list->unread_count];
    path = catalog_journal(id);
    if (journal_read(path, fold, &session, &err)) {
        listed = describe(&session);
        listed.trouble = mem_strdup(err.text);
    } else {
        listed = describe(&session);
        note_owner(&listed, path);
    }
    snprintf(listed.id, sizeof(listed.id), "%s", id);
    vec_push(list, listed);
    session_release(&session);
    free(path);
    free(id);
    return true;
}
