#include "tui/offer.h"

#include <glob.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/base/file.h"
#include "core/base/strbuf.h"
#include "core/base/vec.h"
#include "core/model/problem.h"
#include "core/session/journal.h"
#include "core/session/session.h"

static char *dims_text(const struct problem *problem)
{
    struct strbuf text = {0};

    for (size_t i = 0; i < problem->dims.count; i++)
        strbuf_addf(&text, "%s%s=%" PRId64, i ? " " : "", problem->dims.items[i].name,
                    problem->dims.items[i].value);
    return strbuf_take(&text);
}

/* Files that are no problems are left out: the working folder has all kinds of JSON. */
static void add_problem(struct offer *offer, const char *path)
{
    struct problem problem = {0};

    if (!problem_load(&problem, path, NULL)) {
        struct offered_problem offered = {.path = mem_strdup(path),
                                          .name = mem_strdup(problem.name),
                                          .summary = mem_strdup(problem.summary),
                                          .dims = dims_text(&problem)};

        vec_push(&offer->problems, offered);
    }
    problem_release(&problem);
}

static void add_problems(struct offer *offer, const char *wanted)
{
    glob_t found = {0};

    if (glob(wanted, 0, NULL, &found) == 0)
        for (size_t i = 0; i < found.gl_pathc; i++)
            add_problem(offer, found.gl_pathv[i]);
    globfree(&found);
}

void offer_open(struct offer *offer)
{
    char *folder = file_shipped("prompts/problems");
    char *all = file_join(folder, "*.json");

    add_problems(offer, "*.json");
    add_problems(offer, all);
    free(all);
    free(folder);
    if (catalog_list(&offer->ids, &offer->id_count, NULL))
        offer->id_count = 0;
}

static void release_session(struct offered_session *session)
{
    free(session->problem);
    free(session->agent);
    free(session->device);
    free(session->trouble);
}

void offer_release(struct offer *offer)
{
    for (size_t i = 0; i < offer->problems.count; i++) {
        free(offer->problems.items[i].path);
        free(offer->problems.items[i].name);
        free(offer->problems.items[i].summary);
        free(offer->problems.items[i].dims);
    }
    for (size_t i = 0; i < offer->sessions.count; i++)
        release_session(&offer->sessions.items[i]);
    while (offer->id_count > 0)
        free(offer->ids[--offer->id_count]);
    free(offer->ids);
    vec_release(&offer->problems);
    vec_release(&offer->sessions);
    *offer = (struct offer){0};
}

static enum status fold(void *data, const struct event *event, struct error *err)
{
    return session_apply(data, event, err);
}

static struct offered_session describe(const struct session *session)
{
    const struct attempt *best = session_attempt(session, session->now.best);

    return (struct offered_session){
        .problem = mem_strdup(session->problem_name ? session->problem_name : ""),
        .agent = mem_strdup(session->agent ? session->agent : ""),
        .device = mem_strdup(session->device ? session->device : ""),
        .attempts = session->attempts.count,
        .best_us = best ? best->time.median_us : 0,
        .best_speedup = best ? best->speedup : 0,
        .is_closed = session->now.stage == STAGE_CLOSED,
    };
}

static void note_best(struct offer *offer, const struct offered_session *session)
{
    for (size_t i = 0; i < offer->problems.count; i++) {
        struct offered_problem *problem = &offer->problems.items[i];

        if (strcmp(problem->name, session->problem) == 0 &&
            session->best_speedup > problem->best_speedup)
            problem->best_speedup = session->best_speedup;
    }
}

bool offer_read_session(struct offer *offer)
{
    struct session session = {0};
    struct error err = {0};
    char *id, *path;
    enum status st;

    if (offer->id_count == 0)
        return false;
    id = offer->ids[--offer->id_count];
    path = catalog_journal(id);
    st = journal_read(path, fold, &session, &err);
    vec_push(&offer->sessions, describe(&session));
    snprintf(offer->sessions.items[offer->sessions.count - 1].id, CATALOG_ID_SIZE, "%s", id);
    if (st)
        offer->sessions.items[offer->sessions.count - 1].trouble = mem_strdup(err.text);
    else
        note_best(offer, &offer->sessions.items[offer->sessions.count - 1]);
    session_release(&session);
    free(path);
    free(id);
    return true;
}
