#include "core/session/recorded/duel.h"

#include <math.h>
#include <stdlib.h>

#include "core/agent/reply/reply.h"
#include "core/base/mem.h"
#include "core/model/baseline_label.h"
#include "core/system/loop.h"

struct duel {
    struct loop *loop;
    struct evaluator *evaluator;
    struct ratio ratio;
    struct error failure; /* code 0: none */
};

static void on_progress(void *data, const struct evaluation_progress *progress)
{
    (void)data;
    (void)progress;
}

static void on_loaded(void *data)
{
    loop_stop(((struct duel *)data)->loop);
}

static void on_verdict(void *data, const struct verdict *verdict, const struct json *encoded)
{
    struct duel *duel = data;
    const struct comparison *against = verdict_against(verdict, BASELINE_BEST);

    (void)encoded;
    if (verdict->outcome == OUTCOME_CORRECT && against)
        duel->ratio =
            (struct ratio){against->speedup, against->speedup_low,
                           against->speedup_high > 0 ? against->speedup_high : (double)INFINITY};
    loop_stop(duel->loop);
}

static void on_failed(void *data, const struct error *err)
{
    struct duel *duel = data;

    duel->failure = *err;
    loop_stop(duel->loop);
}

/* Run the loop until the request is answered. */
static enum status wait(struct duel *duel, struct error *err)
{
    duel->failure = (struct error){0};
    loop_run(duel->loop);
    if (!duel->failure.code)
        return STATUS_OK;
    *err = duel->failure;
    return duel->failure.code;
}

enum status duel_open(const struct recording *recording, const struct evaluator_options *options,
                      struct duel **duel, struct error *err)
{
    struct duel *opened = mem_alloc_zeroed(1, sizeof(*opened));
    const struct evaluator_listener listener = {.progress = on_progress,
                                                .loaded = on_loaded,
                                                .done = on_verdict,
                                                .failed = on_failed,
                                                .data = opened};
    struct evaluator_options chosen = *options;
    struct strbuf problem = {0};
    enum status st = recording_text(recording, recording->session.problem, &problem, err);

    opened->loop = loop_new();
    if (!chosen.device)
        chosen.device = recording->session.device;
    if (!st)
        st = evaluator_open(opened->loop, &chosen, &listener, &opened->evaluator, err);
    if (!st)
        st = evaluator_load(opened->evaluator, strbuf_cstr(&problem), "problem.json", err);
    if (!st)
        st = wait(opened, err);
    strbuf_release(&problem);
    if (st)
        duel_close(opened);
    else
        *duel = opened;
    return st;
}

void duel_close(struct duel *duel)
{
    if (!duel)
        return;
    evaluator_close(duel->evaluator);
    loop_free(duel->loop);
    free(duel);
}

static enum status load_best(const struct recording *recording, struct candidate *candidate,
                             struct error *err)
{
    const struct session *session = &recording->session;
    const struct attempt *best = session_attempt(session, session->now.best);
    struct strbuf reply = {0};
    enum status st = recording_text(recording, best->candidate, &reply, err);

    if (!st)
        st = reply_parse(strbuf_cstr(&reply), session_language(session, best->number), candidate,
                         err);
    if (!st && best->tuned)
        candidate->tuned = mem_strdup(best->tuned);
    strbuf_release(&reply);
    return st;
}

enum status duel_compare(struct duel *duel, const struct recording *first,
                         const struct recording *second, struct ratio *ratio, struct error *err)
{
    struct candidate candidate = {0}, rival = {0};
    const struct judge_request request = {.candidate = &candidate, .best = &rival};
    enum status st = load_best(first, &candidate, err);

    duel->ratio = (struct ratio){0};
    if (!st)
        st = load_best(second, &rival, err);
    if (!st)
        st = evaluator_evaluate(duel->evaluator, &request, err);
    if (!st)
        st = wait(duel, err);
    if (!st)
        *ratio = duel->ratio;
    candidate_release(&candidate);
    candidate_release(&rival);
    return st;
}
