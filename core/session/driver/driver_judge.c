#include "core/session/driver/driver_judge.h"

#include <stdio.h>
#include <string.h>

#include "core/model/language.h"
#include "core/session/driver/device_description.h"
#include "core/session/driver/driver_baselines.h"
#include "core/session/driver/driver_candidate.h"
#include "core/session/driver/driver_record.h"
#include "core/session/driver/driver_reference.h"
#include "core/session/driver/driver_session.h"
#include "core/session/state/engine.h"
#include "core/session/state/event_summary.h"
#include "core/session/state/scale.h"
#include "core/session/store/commits.h"

/* Record the device, from which prompts are rendered, if it changed. */
static enum status describe_device(struct driver *driver, struct error *err)
{
    char id[OBJECT_ID_SIZE];
    const struct device_described described = {.text = id};
    struct strbuf text = {0};
    enum status st;

    device_description_print(evaluator_device(driver->evaluator),
                             evaluator_roofs(driver->evaluator), &text);
    st = driver_put(driver, strbuf_cstr(&text), id, err);
    strbuf_release(&text);
    if (st || strcmp(id, driver->session.device_description) == 0 ||
        driver->session.now.stage == STAGE_CLOSED)
        return st;
    return driver_record(driver, event_make(EVENT_DEVICE_DESCRIBED, &described), err);
}

static enum status finish_evaluation(struct driver *driver, const struct verdict *verdict,
                                     const struct json *encoded, struct error *err)
{
    unsigned attempt = session_subject(&driver->session)->number;
    struct evaluation_finished finished = event_summary_of(verdict);
    struct strbuf text = {0};
    char id[OBJECT_ID_SIZE];
    enum status st;

    json_print_pretty(encoded, &text);
    st = driver_put(driver, strbuf_cstr(&text), id, err);
    finished.attempt = attempt;
    finished.verdict = id;
    finished.timed_with = driver->session.now.best;
    finished.wall_us = clock_now_us() - driver->evaluating_since_us;
    if (!st)
        st = driver_record(driver, event_make(EVENT_EVALUATION_FINISHED, &finished), err);
    if (!st)
        st = commits_add_attempt(driver->history, &driver->session, attempt, err);
    strbuf_release(&text);
    return st;
}

static enum status finish_bad_reply(struct driver *driver, const struct error *why,
                                    struct error *err)
{
    struct verdict verdict = {0};
    struct json *encoded;
    enum status st;

    verdict_conclude(&verdict, OUTCOME_BAD_REPLY, "%s", why->text);
    encoded = verdict_encode(&verdict);
    st = finish_evaluation(driver, &verdict, encoded, err);
    json_free(encoded);
    verdict_release(&verdict);
    return st;
}

static bool asks_engineer(const struct gate *gate)
{
    bool asks = false;

    for (size_t i = 0; i < STEP_KINDS; i++)
        asks |= gate->modes[i] == GATE_ASK;
    return asks;
}

/* The analyst needs a profile of the best candidate, so slower candidates get none. */
static struct judge_tools tools_of(const struct driver *driver)
{
    const struct session *session = &driver->session;
    bool has_engineer = !driver->is_unattended || asks_engineer(&session->gate);
    bool is_read = engine_has_reader_of_profile(session) || has_engineer;
    const struct language *language = language_of(session->language);
    bool has_profiler = language->has_nvidia_tools || language->has_counters;

    return (struct judge_tools){
        .profile = has_profiler && !session->roles.without_profile && is_read,
        .skips_slower = true,
        .skips_lines = !has_engineer && !engine_has_reader_of_lines(session)};
}

static enum status start_evaluation(struct driver *driver, const struct attempt *attempt,
                                    const struct candidate *candidate, struct error *err)
{
    const struct attempt *best = session_attempt(&driver->session, driver->session.now.best);
    const struct attempt *first = scale_first(&driver->session);
    struct evaluation_started started = {.attempt = attempt->number,
                                         .candidate = attempt->candidate};
    struct candidate best_candidate = {0}, first_candidate = {0};
    struct judge_request request = {.candidate = candidate};
    enum status st = driver_record(driver, event_make(EVENT_EVALUATION_STARTED, &started), err);

    if (!st)
        st = driver_candidate_load(driver, best, &best_candidate, err);
    if (!st && first != best)
        st = driver_candidate_load(driver, first, &first_candidate, err);
    request.best = best_candidate.source ? &best_candidate : NULL;
    request.first = first_candidate.source ? &first_candidate : NULL;
    request.tools = tools_of(driver);
    if (!st)
        st = evaluator_evaluate(driver->evaluator, &request, err);
    if (!st)
        driver_set_activity(driver, BUSY_EVALUATING, "evaluating");
    candidate_release(&best_candidate);
    candidate_release(&first_candidate);
    return st;
}

enum status driver_evaluate(struct driver *driver, struct error *err)
{
    const struct attempt *attempt = session_subject(&driver->session);
    struct candidate candidate = {0};
    struct error why;
    enum status st = driver_candidate_parse(driver, attempt, &candidate, &why, err);

    driver->evaluating_since_us = clock_now_us();
    if (!st && why.code)
        st = finish_bad_reply(driver, &why, err);
    else if (!st)
        st = start_evaluation(driver, attempt, &candidate, err);
    candidate_release(&candidate);
    return st;
}

static void on_loaded(void *data)
{
    struct driver *driver = data;
    struct error err;
    enum status st;

    if (driver->live.busy != BUSY_STARTING)
        return; /* a new worker has loaded it: the evaluator sends it the lost request again */
    driver_set_activity(driver, BUSY_NOT, NULL);
    st = driver_begin_session(driver, &err);
    if (!st)
        st = describe_device(driver, &err);
    if (st)
        driver_end(driver, &err);
    else
        driver_schedule(driver);
}

static void on_measured(void *data)
{
    struct driver *driver = data;
    struct error err;

    if (driver->journal && driver->live.busy != BUSY_STARTING && describe_device(driver, &err))
        driver_end(driver, &err);
}

static void on_progress(void *data, const struct evaluation_progress *progress)
{
    struct driver *driver = data;

    snprintf(driver->stage, sizeof(driver->stage), "%s", progress->stage ? progress->stage : "");
    driver->live.progress = *progress;
    /* The text is borrowed for this call only. */
    driver->live.progress.stage = progress->stage ? driver->stage : NULL;
    driver->listener.live(driver->listener.data);
}

static void on_verdict(void *data, const struct verdict *verdict, const struct json *encoded)
{
    struct driver *driver = data;
    struct error err;
    enum status st;

    if (driver_awaits_reference(driver)) {
        driver_set_activity(driver, BUSY_NOT, NULL);
        st = driver_take_reference(driver, verdict, encoded, &err);
    } else if (driver_baselines_are_due(driver)) {
        st = driver_baselines_take_verdict(driver, verdict, encoded, &err);
    } else {
        driver_set_activity(driver, BUSY_NOT, NULL);
        st = finish_evaluation(driver, verdict, encoded, &err);
    }
    if (st)
        driver_end(driver, &err);
}

static void on_answer(void *data, const struct json *answer)
{
    (void)answer;
    driver_baselines_take_compiled(data);
}

static void on_compiled(void *data)
{
    driver_baselines_note_compiled(data);
}

static void on_judge_failed(void *data, const struct error *err)
{
    struct driver *driver = data;

    if (driver_baselines_are_due(driver))
        driver_baselines_give_up(driver, err);
    else
        driver_end(driver, err);
}

static void on_judge_notice(void *data, const char *line)
{
    driver_set_notice(data, line);
}

enum status driver_open_judge(struct driver *driver, const struct driver_options *options,
                              const char *file, struct error *err)
{
    const struct evaluator_listener listener = {.progress = on_progress,
                                                .loaded = on_loaded,
                                                .measured = on_measured,
                                                .done = on_verdict,
                                                .answered = on_answer,
                                                .compiled = on_compiled,
                                                .failed = on_judge_failed,
                                                .notice = on_judge_notice,
                                                .data = driver};
    struct evaluator_options evaluator = options->evaluator;
    enum status st;

    if (driver->is_resumed)
        evaluator.device = driver->session.device;
    st = evaluator_open(driver->loop, &evaluator, &listener, &driver->evaluator, err);
    if (st)
        return st;
    evaluator_take_worker(driver->evaluator, options->earlier);
    st = evaluator_load(driver->evaluator, strbuf_cstr(&driver->problem_text), file, err);
    if (!st)
        driver_set_activity(driver, BUSY_STARTING, "starting");
    return st;
}
