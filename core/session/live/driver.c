#include "core/session/live/driver_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/agent/agents.h"
#include "core/base/utf8.h"
#include "core/base/vec.h"
#include "core/session/live/machine.h"
#include "core/session/store/archive.h"
#include "core/system/file.h"
#include "core/system/log.h"

enum { PROBLEM_MAX_BYTES = 16 << 20, REFERENCE_MAX_BYTES = 1 << 20 };

static void take_turn(void *data);

/* Think about what comes next, from the loop. */
static void schedule(struct driver *driver)
{
    loop_set_timer(driver->loop, &driver->turn, 0, take_turn, driver);
}

void driver_set_activity(struct driver *driver, enum busy busy, const char *activity)
{
    driver->live.busy = busy;
    driver->live.activity = activity;
    driver->live.since_us = clock_now_us();
    driver->live.progress = (struct evaluation_progress){0};
    driver->listener.live(driver->listener.data);
}

void driver_set_notice(struct driver *driver, const char *line)
{
    snprintf(driver->live.notice, sizeof(driver->live.notice), "%s", line);
    driver->listener.live(driver->listener.data);
}

void driver_end(struct driver *driver, const struct error *err)
{
    driver->is_running = false;
    driver->is_over = true;
    driver_set_activity(driver, BUSY_NOT, NULL);
    driver->listener.ended(driver->listener.data, err);
}

enum status driver_record(struct driver *driver, struct event event, struct error *err)
{
    enum status st = session_check(&driver->session, &event, err);

    if (!st)
        st = journal_append(driver->journal, &event, err);
    if (!st)
        st = session_apply(&driver->session, &event, err);
    if (!st) {
        text_refs_add(&driver->text_refs, &event);
        driver->listener.event(driver->listener.data, &event);
        schedule(driver);
    }
    event_release(&event);
    return st;
}

enum status driver_put(struct driver *driver, const char *text, char id[HISTORY_ID_SIZE],
                       struct error *err)
{
    return history_put(driver->history, text, strlen(text), id, err);
}

enum status driver_anchor(struct driver *driver, struct error *err)
{
    return text_refs_commit(&driver->text_refs, driver->history, &driver->session, err);
}

static void take_turn(void *data)
{
    struct driver *driver = data;
    enum action action = engine_next(&driver->session);
    struct error err;

    if (!driver->is_running || driver->live.busy != BUSY_NOT)
        return;
    if (action == ACTION_NONE)
        driver_end(driver, NULL);
    else if (driver_act(driver, action, &err))
        driver_end(driver, &err);
}

/* Prompts are rendered from it: what has changed is written down. */
static enum status describe_device(struct driver *driver, struct error *err)
{
    char id[HISTORY_ID_SIZE];
    const struct device_described described = {.text = id};
    struct strbuf text = {0};
    enum status st;

    machine_print(evaluator_device(driver->evaluator), evaluator_roofs(driver->evaluator), &text);
    st = driver_put(driver, strbuf_cstr(&text), id, err);
    strbuf_release(&text);
    if (st || strcmp(id, driver->session.machine) == 0 || driver->session.now.stage == STAGE_CLOSED)
        return st;
    return driver_record(driver, event_device_described(&described), err);
}

/* The session's first event, now that the device is known. */
static enum status open_session(struct driver *driver, struct error *err)
{
    const struct device_info *device = evaluator_device(driver->evaluator);
    struct session_opened opened = {.session = driver->id,
                                    .problem = driver->problem.name,
                                    .agent = driver->agent_name,
                                    .device = device->id,
                                    .language = device->language,
                                    .repository = driver->repository,
                                    .limits = driver->limits,
                                    .policy = driver->gate,
                                    .reference_name = driver->reference_name};
    char id[HISTORY_ID_SIZE];
    enum status st = STATUS_OK;

    if (driver->reference_name) {
        st = driver_put(driver, strbuf_cstr(&driver->reference), id, err);
        opened.reference = id;
    }
    return st ? st : driver_record(driver, event_session_opened(&opened), err);
}

static enum status fold(void *data, const struct event *event, struct error *err)
{
    struct driver *driver = data;

    text_refs_add(&driver->text_refs, event);
    return session_apply(&driver->session, event, err);
}

static enum status open_journal(struct driver *driver, struct error *err)
{
    char *path = catalog_journal(driver->id);
    enum status st = catalog_make(driver->id, err);
    pid_t owner = st ? 0 : journal_owner(path);

    if (owner)
        st = error_set(err, STATUS_UNAVAILABLE,
                       "session %s is open in another kforge (pid %lld): kforge replay %s shows it "
                       "without touching it",
                       driver->id, (long long)owner, driver->id);
    if (!st)
        st = journal_open(path, fold, driver, &driver->journal, err);
    free(path);
    return st;
}

/* Of a session that is gone on with, by another policy than before. */
static enum status change_gate(struct driver *driver, struct error *err)
{
    enum status st = STATUS_OK;

    for (unsigned i = 0; !st && driver->changes_gate && i < STEP_KINDS; i++)
        if (driver->session.gate.modes[i] != driver->gate.modes[i])
            st = driver_set_policy(driver, (enum step_kind)i, driver->gate.modes[i], err);
    return st;
}

static void hear_loaded(void *data)
{
    struct driver *driver = data;
    struct error err;
    enum status st = STATUS_OK;

    if (driver->live.busy != BUSY_STARTING)
        return; /* a worker that died has come back, and is asked again what it was asked */
    driver_set_activity(driver, BUSY_NOT, NULL);
    if (!driver->is_resumed)
        st = open_journal(driver, &err);
    if (!st)
        st = driver->is_resumed ? change_gate(driver, &err) : open_session(driver, &err);
    if (!st)
        st = describe_device(driver, &err);
    if (st)
        driver_end(driver, &err);
    else
        schedule(driver);
}

static void hear_measured(void *data)
{
    struct driver *driver = data;
    struct error err;

    if (driver->journal && driver->live.busy != BUSY_STARTING && describe_device(driver, &err))
        driver_end(driver, &err);
}

static void hear_progress(void *data, const struct evaluation_progress *progress)
{
    struct driver *driver = data;

    snprintf(driver->stage, sizeof(driver->stage), "%s", progress->stage ? progress->stage : "");
    driver->live.progress = *progress;
    /* What was heard is gone after this call. */
    driver->live.progress.stage = progress->stage ? driver->stage : NULL;
    driver->listener.live(driver->listener.data);
}

static void hear_verdict(void *data, const struct verdict *verdict, const struct json *encoded)
{
    struct driver *driver = data;
    struct error err;

    driver_set_activity(driver, BUSY_NOT, NULL);
    if (driver_finish_evaluation(driver, verdict, encoded, &err))
        driver_end(driver, &err);
}

static void hear_judge_failed(void *data, const struct error *err)
{
    driver_end(data, err);
}

static void hear_judge_notice(void *data, const char *line)
{
    driver_set_notice(data, line);
}

static enum status read_problem(struct driver *driver, const struct driver_options *options,
                                struct error *err)
{
    if (!options->problem_text)
        return file_read(options->problem_path, PROBLEM_MAX_BYTES, &driver->problem_text, err);
    strbuf_adds(&driver->problem_text, options->problem_text);
    return STATUS_OK;
}

/* Take up an earlier session: its journal, its texts, its problem. */
static enum status reopen(struct driver *driver, const char *prefix, struct error *err)
{
    enum status st = catalog_find(prefix, driver->id, err);

    driver->is_resumed = true;
    if (!st)
        st = open_journal(driver, err);
    if (!st && !driver->session.problem[0])
        st = error_set(err, STATUS_INVALID, "session %s ended before it began", driver->id);
    if (st)
        return st;
    free(driver->agent_name);
    free(driver->repository);
    driver->agent_name = mem_strdup(driver->session.agent);
    driver->repository = mem_strdup(driver->session.repository);
    st = history_open(driver->repository, &driver->history, err);
    if (!st)
        st = archive_mend(driver->history, &driver->session, err);
    if (!st)
        st = driver_anchor(driver, err);
    return st ? st
              : history_get(driver->history, driver->session.problem, &driver->problem_text, err);
}

/* The implementation for another platform, in whatever language. */
static enum status read_reference(struct driver *driver, const char *path, struct error *err)
{
    enum status st = file_read(path, REFERENCE_MAX_BYTES, &driver->reference, err);

    if (!st && !utf8_is_text(driver->reference.data, driver->reference.len))
        st = error_set(err, STATUS_INVALID, "%s: a reference is a text in UTF-8", path);
    if (!st)
        driver->reference_name = mem_strdup(file_name(path));
    return st;
}

/* One that is not there yet is made; a session keeps the way to it from wherever it is gone on
 * with. */
static enum status open_repository(struct driver *driver, bool is_named, struct error *err)
{
    bool is_new = !file_exists(driver->repository);
    enum status st = history_open(driver->repository, &driver->history, err);
    char *absolute = st ? NULL : realpath(driver->repository, NULL);
    struct strbuf notice = {0};

    if (absolute) {
        free(driver->repository);
        driver->repository = absolute;
    }
    strbuf_addf(&notice, "%s: a new repository, since there was none", driver->repository);
    if (!st && is_new && is_named)
        driver_set_notice(driver, strbuf_cstr(&notice));
    strbuf_release(&notice);
    return st;
}

static enum status open_new(struct driver *driver, const struct driver_options *options,
                            struct error *err)
{
    enum status st = read_problem(driver, options, err);

    if (!st)
        st = file_make_place(FILE_DATA, err);
    if (!st && options->reference)
        st = read_reference(driver, options->reference, err);
    catalog_new_id(driver->id);
    return st ? st : open_repository(driver, options->repository != NULL, err);
}

static enum status open_judge(struct driver *driver, const struct driver_options *options,
                              const char *file, struct error *err)
{
    const struct evaluator_listener listener = {.progress = hear_progress,
                                                .loaded = hear_loaded,
                                                .measured = hear_measured,
                                                .done = hear_verdict,
                                                .failed = hear_judge_failed,
                                                .notice = hear_judge_notice,
                                                .data = driver};
    struct evaluator_options evaluator = options->evaluator;
    enum status st;

    if (driver->is_resumed)
        evaluator.device = driver->session.device;
    st = evaluator_open(driver->loop, &evaluator, &listener, &driver->evaluator, err);
    if (!st)
        st = evaluator_load(driver->evaluator, strbuf_cstr(&driver->problem_text), file, err);
    if (!st)
        driver_set_activity(driver, BUSY_STARTING, "starting");
    return st;
}

/* A budget in $ cannot be kept where nothing is known about the price. */
static enum status find_price(struct driver *driver, struct error *err)
{
    const struct limits *limits = driver->is_resumed ? &driver->session.limits : &driver->limits;
    enum status st = ledger_find_terms(driver->agent_name, &driver->terms, err);

    if (!st && !driver->terms.has_price && limits->budget[RESOURCE_USD] > 0)
        st =
            error_set(err, STATUS_INVALID,
                      "%s has no known price for a budget in $: name it in prices.json in kforge's "
                      "config folder",
                      driver->agent_name);
    return st;
}

static enum status open_all(struct driver *driver, const struct driver_options *options,
                            struct error *err)
{
    const char *file = options->problem_path ? file_name(options->problem_path) : "problem.json";
    enum status st =
        options->resume ? reopen(driver, options->resume, err) : open_new(driver, options, err);

    if (!st)
        st = problem_parse(&driver->problem, strbuf_cstr(&driver->problem_text),
                           driver->problem_text.len, file, err);
    if (!st)
        st = agents_open(driver->loop, driver->agent_name, &driver->asked[0].agent, err);
    if (!st)
        st = agent_accept(driver->asked[0].agent, &driver->problem, err);
    if (!st)
        st = find_price(driver, err);
    return st ? st : open_judge(driver, options, file, err);
}

enum status driver_open(struct loop *loop, const struct driver_options *options,
                        const struct driver_listener *listener, struct driver **driver,
                        struct error *err)
{
    struct driver *opened = mem_alloc_zeroed(1, sizeof(*opened));
    enum status st;

    opened->loop = loop;
    opened->listener = *listener;
    opened->limits = options->limits;
    opened->gate = options->gate;
    opened->changes_gate = options->changes_gate;
    opened->rules = options->rules;
    opened->agent_name = mem_strdup(options->agent);
    opened->repository =
        options->repository ? mem_strdup(options->repository) : catalog_repository();
    st = open_all(opened, options, err);
    if (st) {
        driver_close(opened);
        return st;
    }
    *driver = opened;
    return STATUS_OK;
}

void driver_close(struct driver *driver)
{
    struct error err;

    if (!driver)
        return;
    if (driver->history && driver_anchor(driver, &err))
        log_line("%s", err.text);
    loop_clear_timer(driver->loop, &driver->turn);
    loop_clear_timer(driver->loop, &driver->deadline);
    for (size_t i = 0; i < ROUND_ATTEMPTS; i++) {
        agent_close(driver->asked[i].agent);
        strbuf_release(&driver->asked[i].reply);
    }
    evaluator_close(driver->evaluator);
    journal_close(driver->journal);
    history_close(driver->history);
    text_refs_release(&driver->text_refs);
    session_release(&driver->session);
    problem_release(&driver->problem);
    strbuf_release(&driver->problem_text);
    strbuf_release(&driver->reference);
    free(driver->reference_name);
    strbuf_release(&driver->live.stream);
    free(driver->agent_name);
    free(driver->repository);
    free(driver->branch);
    free(driver);
}

void driver_run(struct driver *driver)
{
    driver->is_running = !driver->is_over;
    schedule(driver);
}

void driver_pause(struct driver *driver)
{
    driver->is_running = false;
    driver->listener.live(driver->listener.data);
}

bool driver_is_paused(const struct driver *driver)
{
    return !driver->is_running;
}

void driver_break_off(struct driver *driver)
{
    driver_cancel_agents(driver);
    if (driver->live.busy == BUSY_EVALUATING)
        evaluator_cancel(driver->evaluator);
    if (driver->live.busy != BUSY_STARTING)
        driver_set_activity(driver, BUSY_NOT, NULL);
}

void driver_interrupt(struct driver *driver)
{
    driver_break_off(driver);
    driver_pause(driver);
}

const struct session *driver_session(const struct driver *driver)
{
    return &driver->session;
}

const struct driver_live *driver_live(const struct driver *driver)
{
    return &driver->live;
}

const struct problem *driver_problem(const struct driver *driver)
{
    return &driver->problem;
}

const struct device_info *driver_device(const struct driver *driver)
{
    return evaluator_device(driver->evaluator);
}

const char *driver_libraries(const struct driver *driver)
{
    return evaluator_libraries(driver->evaluator);
}

enum status driver_text(const struct driver *driver, const char *id, struct strbuf *out,
                        struct error *err)
{
    return history_get(driver->history, id, out, err);
}

bool driver_can_resume(const struct driver *driver)
{
    return driver->session.id && driver->session.now.stage != STAGE_CLOSED &&
           journal_is_in_place(driver->journal);
}

const char *driver_branch(struct driver *driver)
{
    if (!driver->branch && driver->session.id)
        driver->branch = archive_branch(&driver->session);
    return driver->branch;
}

const char *driver_repository(const struct driver *driver)
{
    return driver->repository;
}
