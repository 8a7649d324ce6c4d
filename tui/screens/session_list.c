#include "tui/screens/session_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/vec.h"
#include "core/session/state/fold.h"
#include "core/session/state/scale.h"
#include "core/session/state/session.h"
#include "core/session/store/journal.h"
#include "core/session/store/process_lease.h"

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

/* Stop reading: drop the ids that are not read yet, and the sessions that were read again. */
static void stop_reading(struct session_list *list)
{
    for (size_t i = 0; i < list->anew.count; i++)
        release_session(&list->anew.items[i]);
    vec_release(&list->anew);
    while (list->unread_count > 0)
        free(list->unread[--list->unread_count]);
    free(list->unread);
    list->unread = NULL;
    list->is_anew = false;
}

void session_list_release(struct session_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        release_session(&list->items[i]);
    vec_release(list);
    stop_reading(list);
    *list = (struct session_list){0};
}

enum status session_list_reopen(struct session_list *list, struct error *err)
{
    enum status st;

    stop_reading(list);
    st = session_list_open(list, err);
    if (st || list->unread_count == 0)
        session_list_release(list);
    else
        list->is_anew = true;
    return st;
}

/* All sessions are read: show them. */
static void replace(struct session_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        release_session(&list->items[i]);
    vec_release(list);
    list->items = list->anew.items;
    list->count = list->anew.count;
    list->capacity = list->anew.capacity;
    memset(&list->anew, 0, sizeof(list->anew));
    list->is_anew = false;
}

size_t session_list_find(const struct session_list *list, const char *id)
{
    size_t i = 0;

    while (i < list->count && strcmp(list->items[i].id, id) != 0)
        i++;
    return i;
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

/* Note whether a process runs the session. */
static void note_owner(struct listed_session *listed, const char *id)
{
    char *folder = catalog_folder(id);
    struct lease_process owner = process_lease_find(folder);

    if (owner.pid)
        listed->state =
            owner.pid == getpid() && !owner.is_elsewhere ? SESSION_HERE : SESSION_RUNNING;
    free(folder);
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
        note_owner(&listed, id);
    }
    snprintf(listed.id, sizeof(listed.id), "%s", id);
    if (list->is_anew)
        vec_push(&list->anew, listed);
    else
        vec_push(list, listed);
    if (list->is_anew && list->unread_count == 0)
        replace(list);
    session_release(&session);
    free(path);
    free(id);
    return true;
}
