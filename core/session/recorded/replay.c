#include "core/session/recorded/replay.h"

#include <stdlib.h>
#include <string.h>

#include "core/agent/reply/reply.h"
#include "core/base/mem.h"
#include "core/model/language.h"
#include "core/session/state/event_summary.h"
#include "core/session/state/scale.h"
#include "core/system/loop.h"

struct replay {
    struct loop *loop;
    const struct recording *recording;
    struct replay_listener listener;
    struct evaluator *evaluator;
    struct loop_timer turn;
    size_t next; /* index of the attempt to judge next */
};

static void take_turn(void *data);

static void schedule(struct replay *replay)
{
    loop_set_timer(replay->loop, &replay->turn, 0, take_turn, replay);
}

/* Report the verdict on the current attempt. */
static void report_verdict(struct replay *replay, const struct verdict *verdict)
{
    const struct session *session = &replay->recording->session;
    const struct attempt *then = &session->attempts.items[replay->next];
    const char *over = scale_strongest(session);
    const struct comparison *now = over ? verdict_against(verdict, over) : NULL;
    const struct replay_result result = {.then = then,
                                         .now = event_summary_of(verdict),
                                         .over = over,
                                         .speedup_then = scale_speedup(session, then),
                                         .speedup_now = now ? now->speedup : 0};

    replay->next++;
    schedule(replay);
    replay->listener.measured(replay->listener.data, &result);
}

static void report_bad_reply(struct replay *replay, const struct error *why)
{
    struct verdict verdict = {0};

    verdict_conclude(&verdict, OUTCOME_BAD_REPLY, "%s", why->text);
    report_verdict(replay, &verdict);
    verdict_release(&verdict);
}

static enum status judge(struct replay *replay, const struct attempt *attempt, struct error *err)
{
    struct candidate candidate = {0};
    struct strbuf reply = {0};
    struct error why;
    enum status st = recording_text(replay->recording, attempt->candidate, &reply, err);

    if (!st && reply_parse(strbuf_cstr(&reply),
                           session_language(&replay->recording->session, attempt->number),
                           &candidate, &why))
        report_bad_reply(replay, &why);
    else if (!st)
        st = evaluator_evaluate(replay->evaluator, &(struct judge_request){.candidate = &candidate},
                                err);
    candidate_release(&candidate);
    strbuf_release(&reply);
    return st;
}

static void take_turn(void *data)
{
    struct replay *replay = data;
    const struct session *session = &replay->recording->session;
    struct error err;

    while (replay->next < session->attempts.count &&
           !session->attempts.items[replay->next].is_evaluated)
        replay->next++;
    if (replay->next == session->attempts.count)
        replay->listener.ended(replay->listener.data, NULL);
    else if (judge(replay, &session->attempts.items[replay->next], &err))
        replay->listener.ended(replay->listener.data, &err);
}

/* A candidate can only be judged on a device of its own language. */
static void on_loaded(void *data)
{
    struct replay *replay = data;
    const struct device_info *device = evaluator_device(replay->evaluator);
    const char *language = replay->recording->session.language;
    struct strbuf taken = {0};
    struct error err;

    if (device_info_takes(device, language)) {
        schedule(replay);
        return;
    }
    device_info_list_languages(device, &taken);
    (void)error_set(&err, STATUS_UNAVAILABLE,
                    "%s takes %s, but the candidates are in %s: choose another --device",
                    device->id, strbuf_cstr(&taken), language_title(language));
    strbuf_release(&taken);
    replay->listener.ended(replay->listener.data, &err);
}

static void on_progress(void *data, const struct evaluation_progress *progress)
{
    (void)data;
    (void)progress;
}

static void on_verdict(void *data, const struct verdict *verdict, const struct json *encoded)
{
    (void)encoded;
    report_verdict(data, verdict);
}

static void on_failed(void *data, const struct error *err)
{
    struct replay *replay = data;

    replay->listener.ended(replay->listener.data, err);
}

static void on_notice(void *data, const char *line)
{
    struct replay *replay = data;

    replay->listener.notice(replay->listener.data, line);
}

static enum status open_judge(struct replay *replay, const struct evaluator_options *options,
                              struct error *err)
{
    const struct evaluator_listener listener = {.progress = on_progress,
                                                .loaded = on_loaded,
                                                .done = on_verdict,
                                                .failed = on_failed,
                                                .notice = on_notice,
                                                .data = replay};
    const struct session *session = &replay->recording->session;
    struct evaluator_options chosen = *options;
    const struct language *own = session->device ? language_of_device(session->device) : NULL;
    struct strbuf problem = {0};
    enum status st = recording_text(replay->recording, session->problem, &problem, err);

    if (!chosen.device) /* any device of the kind that the session had */
        chosen.device = own ? own->device : session->language;
    if (!st)
        st = evaluator_open(replay->loop, &chosen, &listener, &replay->evaluator, err);
    if (!st)
        st = evaluator_load(replay->evaluator, strbuf_cstr(&problem), "problem.json", err);
    strbuf_release(&problem);
    return st;
}

enum status replay_open(struct loop *loop, const struct replay_options *options,
                        const struct replay_listener *listener, struct replay **replay,
                        struct error *err)
{
    struct replay *opened = mem_alloc_zeroed(1, sizeof(*opened));
    enum status st;

    opened->loop = loop;
    opened->recording = options->recording;
    opened->listener = *listener;
    st = open_judge(opened, &options->evaluator, err);
    if (st)
        replay_close(opened);
    else
        *replay = opened;
    return st;
}

void replay_close(struct replay *replay)
{
    if (!replay)
        return;
    loop_clear_timer(replay->loop, &replay->turn);
    evaluator_close(replay->evaluator);
    free(replay);
}
