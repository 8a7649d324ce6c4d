/*
 * workbench_demo [STAGE [KEYS]]: the workbench with an invented session
 * (tests/golden/sample_session.h). STAGE is a stage of that session or another screen ("start",
 * "replay", "review"); KEYS is a key script.
 *
 * This file replaces core/session/driver/driver.h and the evaluator by fakes without agents and
 * devices, so that tests/e2e/workbench.sh and tests/screens/ reach every situation at once. It
 * writes each decision as a line to the file DECISIONS.
 */
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/vec.h"
#include "core/system/clock.h"
#include "core/system/file.h"
#include "tests/golden/sample_session.h"
#include "tui/app/app.h"

/* The time that the agent has worked: constant, so that screens can be compared. */
enum { STREAMED_US = 12 * 1000000 };

static const char *const stages[] = {[SAMPLE_STREAMING] = "streaming",
                                     [SAMPLE_BUILD_FAILED] = "build_failed",
                                     [SAMPLE_WRONG] = "wrong",
                                     [SAMPLE_KEEP] = "keep",
                                     [SAMPLE_ROUND] = "round"};

struct evaluator {
    struct evaluator_listener listener;
};

struct driver {
    struct sample_session *sample;
    struct session *session;
    struct driver_listener listener;
    const char *activity;
    bool is_paused;
    FILE *decisions;
};

/* A fake worker with two devices; the roofs of the first are measured. */

enum status evaluator_open(struct loop *loop, const struct evaluator_options *options,
                           const struct evaluator_listener *listener, struct evaluator **evaluator,
                           struct error *err)
{
    (void)loop;
    (void)options;
    (void)err;
    *evaluator = mem_alloc_zeroed(1, sizeof(**evaluator));
    (*evaluator)->listener = *listener;
    return STATUS_OK;
}

void evaluator_close(struct evaluator *evaluator)
{
    free(evaluator);
}

/* The worker's answer to a question. Task lint has a finding for one problem, transpose. */
static const char *answer_to(const char *question, const struct json *members)
{
    static const char devices[] =
        "{\"devices\": [{\"id\": \"opencl:0\", \"name\": \"invented device\","
        "\"platform\": \"none\", \"language\": \"opencl\", \"roofs\": {\"flops_per_us\": 100000,"
        "\"memory\": [{\"bytes\": 1000000, \"bytes_per_us\": 20000}]}},"
        " {\"id\": \"opencl:1\", \"name\": \"another one\","
        "\"platform\": \"none\", \"language\": \"opencl\", \"roofs\": null}]}";
    static const char findings[] =
        "{\"findings\": [{\"name\": \"zero_passes\", \"evidence\": \"y: zeros are within"
        " tolerance\"}]}";

    if (strcmp(question, "devices") == 0)
        return devices;
    return strstr(json_get_string(members, "file", ""), "transpose") ? findings
                                                                     : "{\"findings\": []}";
}

enum status evaluator_ask(struct evaluator *evaluator, const char *question, struct json *members,
                          struct error *err)
{
    const char *text = answer_to(question, members);
    struct json *answer = json_parse(text, strlen(text), err);

    json_free(members);
    evaluator->listener.answered(evaluator->listener.data, answer);
    json_free(answer);
    return STATUS_OK;
}

enum status evaluator_load(struct evaluator *evaluator, const char *problem_text, const char *file,
                           struct error *err)
{
    (void)problem_text;
    (void)file;
    (void)err;
    evaluator->listener.loaded(evaluator->listener.data);
    return STATUS_OK;
}

enum status evaluator_await(struct evaluator *evaluator, struct error *err)
{
    (void)evaluator;
    return error_set(err, STATUS_UNAVAILABLE, "the sample has no baselines to compile");
}

enum status evaluator_list(struct evaluator *evaluator, const struct judge_listing *listing,
                           struct error *err)
{
    struct json *answer;

    if (listing->form == LISTING_SASS)
        return error_set(err, STATUS_UNAVAILABLE, "nvdisasm: not found");
    answer = json_object_new();
    json_put_string(answer, "text", ".visible .entry softmax(\n\t.param .u64 softmax_param_0\n)\n");
    evaluator->listener.answered(evaluator->listener.data, answer);
    json_free(answer);
    return STATUS_OK;
}

static void add_finding(const char *tool, struct sanitizing *sanitizing)
{
    struct access_error found = {.kind = mem_strdup("Invalid __global__ write of size 4 bytes"),
                                 .kernel = mem_strdup("softmax"),
                                 .line = 9,
                                 .count = 512};

    *sanitizing = (struct sanitizing){.is_present = true, .tool = mem_strdup(tool)};
    vec_push(&sanitizing->errors, found);
}

static void add_rule(struct profile *profile)
{
    struct profile_rule rule = {.name = mem_strdup("latency"),
                                .kernel = mem_strdup("softmax"),
                                .text = mem_strdup("warps wait at barriers")};

    *profile = (struct profile){.is_present = true, .source = mem_strdup("ncu")};
    vec_push(&profile->rules, rule);
}

/* Return a verdict with one finding of a sanitizer, or with a profile. */
enum status evaluator_evaluate(struct evaluator *evaluator, const struct judge_request *request,
                               struct error *err)
{
    struct verdict verdict = {0};
    struct json *encoded;

    (void)err;
    if (request->tools.profile)
        add_rule(&verdict.profile);
    else
        add_finding(request->tools.sanitizer, &verdict.sanitizing);
    encoded = verdict_encode(&verdict);
    evaluator->listener.done(evaluator->listener.data, &verdict, encoded);
    json_free(encoded);
    verdict_release(&verdict);
    return STATUS_OK;
}

void evaluator_cancel(struct evaluator *evaluator)
{
    (void)evaluator;
}

/* A fake driver of the session. */

static enum sample_session_stage stage_of(const char *name)
{
    enum sample_session_stage stage = SAMPLE_STREAMING;

    while (stage < SAMPLE_ROUND && strcmp(stages[stage], name) != 0)
        stage++;
    return stage;
}

enum status driver_open(struct loop *loop, const struct driver_options *options,
                        const struct driver_listener *listener, struct driver **driver,
                        struct error *err)
{
    struct driver *opened = mem_alloc_zeroed(1, sizeof(*opened));
    const char *decisions = getenv("DECISIONS");

    (void)loop;
    opened->sample = sample_session_new(stage_of(options->problem_path));
    opened->session = sample_session_session(opened->sample);
    opened->listener = *listener;
    opened->decisions = fopen(decisions ? decisions : "/dev/null", "w");
    if (!opened->decisions) {
        driver_close(opened);
        return error_set(err, STATUS_IO, "%s: cannot open", decisions);
    }
    if (stage_of(options->problem_path) == SAMPLE_STREAMING) {
        opened->activity = "generating";
        sample_session_say(opened->sample,
                           "I load eight values at a time.\n\n```opencl\n__kernel void softm");
    }
    *driver = opened;
    return STATUS_OK;
}

void driver_close(struct driver *driver)
{
    if (!driver)
        return;
    if (driver->decisions)
        fclose(driver->decisions);
    sample_session_free(driver->sample);
    free(driver);
}

void driver_run(struct driver *driver)
{
    driver->is_paused = false;
}

void driver_pause(struct driver *driver)
{
    driver->is_paused = true;
}

bool driver_can_resume(const struct driver *driver)
{
    (void)driver;
    return true;
}

bool driver_is_paused(const struct driver *driver)
{
    return driver->is_paused;
}

void driver_interrupt(struct driver *driver)
{
    driver_pause(driver);
}

/* Ask the same question again at once, which would also catch keys that are typed ahead. */
static void propose_again(struct driver *driver, const struct step *decided)
{
    struct step next = *decided;

    next.number++;
    next.decision = DECISION_PENDING;
    next.title = "the next question";
    next.reason = next.change = NULL;
    vec_push(&driver->session->steps, next);
}

enum status driver_decide(struct driver *driver, const struct ruling *ruling, struct error *err)
{
    const char *text = ruling->text ? ruling->text : "";
    struct step *pending = &driver->session->steps.items[driver->session->steps.count - 1];

    if (ruling->decision == DECISION_EDITED && strstr(text, "! broken"))
        return error_set(err, STATUS_INVALID, "the edit has no kernel");
    fprintf(driver->decisions, "%u %s %s\n", ruling->step, decision_name(ruling->decision),
            ruling->reason ? ruling->reason : text);
    fflush(driver->decisions);
    pending->decision = ruling->decision;
    propose_again(driver, pending);
    driver->listener.event(driver->listener.data, &(struct event){.type = EVENT_STEP_DECIDED});
    return STATUS_OK;
}

enum status driver_say(struct driver *driver, const char *text, struct error *err)
{
    const struct session_note remark = {.text = session_keep(driver->session, text)};

    (void)err;
    vec_push(&driver->session->notes, remark);
    return STATUS_OK;
}

enum status driver_answer(struct driver *driver, const char *text, struct error *err)
{
    (void)err;
    fprintf(driver->decisions, "reply %s\n", text);
    fflush(driver->decisions);
    return STATUS_OK;
}

enum status driver_tag(struct driver *driver, unsigned attempt, const char *tag, struct error *err)
{
    (void)err;
    driver->session->attempts.items[attempt - 1].tag = session_keep(driver->session, tag);
    return STATUS_OK;
}

enum status driver_attach(struct driver *driver, const char *path, struct error *err)
{
    const struct session_attachment attached = {
        .name = session_keep(driver->session, file_name(path)), .media_type = "image/png"};

    (void)err;
    vec_push(&driver->session->attachments, attached);
    return STATUS_OK;
}

enum status driver_undo(struct driver *driver, struct error *err)
{
    fputs("undo\n", driver->decisions);
    fflush(driver->decisions);
    (void)err;
    return STATUS_OK;
}

enum status driver_redo(struct driver *driver, struct error *err)
{
    (void)driver;
    return error_set(err, STATUS_INVALID, "no decision was undone");
}

enum status driver_run_on(struct driver *driver, const struct run_limits *limits, struct error *err)
{
    (void)err;
    driver->session->run = (struct run){.is_on = true, .limits = *limits};
    return STATUS_OK;
}

enum status driver_end_run(struct driver *driver, struct error *err)
{
    (void)err;
    driver->session->run.is_on = false;
    return STATUS_OK;
}

enum status driver_set_policy(struct driver *driver, enum step_kind kind, enum gate_mode mode,
                              struct error *err)
{
    (void)err;
    driver->session->gate.modes[kind] = mode;
    return STATUS_OK;
}

enum status driver_set_language(struct driver *driver, const char *language, struct error *err)
{
    (void)err;
    driver->session->language = session_keep(driver->session, language);
    return STATUS_OK;
}

const struct session *driver_session(const struct driver *driver)
{
    return driver->session;
}

const struct driver_live *driver_live(const struct driver *driver)
{
    struct driver_live *live =
        (struct driver_live *)(uintptr_t)sample_session_scene(driver->sample)->live;

    live->activity = driver->activity;
    live->busy = driver->activity ? BUSY_AGENT : BUSY_NOT;
    live->since_us = clock_now_us() - STREAMED_US;
    return live;
}

const struct device_info *driver_device(const struct driver *driver)
{
    return sample_session_scene(driver->sample)->device;
}

const char *driver_libraries(const struct driver *driver)
{
    (void)driver;
    return "an invented library";
}

enum status driver_text(const struct driver *driver, const char *id, struct strbuf *out,
                        struct error *err)
{
    const struct view_model_source *source = &sample_session_scene(driver->sample)->source;

    return source->text(source->data, id, out, err);
}

static void say_goodbye(void *data, struct driver *driver)
{
    (void)data;
    printf("left %s\n", driver_session(driver)->id);
}

/* Screens for the stages that are not stages of the sample session. */
static const struct {
    const char *stage;
    enum app_begin begin;
    const char *session;
} beginnings[] = {
    {"start", APP_BEGIN_SESSION, NULL},
    {"replay", APP_BEGIN_REPLAY, "softmax_written"},
    {"gpu", APP_BEGIN_REPLAY, "transpose_h200"},
    {"review", APP_BEGIN_REVIEW, "linear_gelu_builtin"},
    {"review_all", APP_BEGIN_REVIEW, NULL},
    {"suite", APP_BEGIN_SUITE, NULL},
};

int main(int argc, char **argv)
{
    const char *stage = argc > 1 ? argv[1] : "keep";
    struct driver_options driver = {
        .agent = "builtin", .problem_path = stage, .limits = {.functional = 5, .optimize = 12}};
    struct app_options options = {
        .driver = &driver, .keys = argc > 2 ? argv[2] : NULL, .left = say_goodbye};
    struct error err = {0};

    for (size_t i = 0; i < sizeof(beginnings) / sizeof(beginnings[0]); i++) {
        if (strcmp(stage, beginnings[i].stage) != 0)
            continue;
        driver.problem_path = NULL;
        options.begin = beginnings[i].begin;
        options.session = beginnings[i].session;
        options.suite = "0501";
    }
    setlocale(LC_ALL, "");
    if (app_run(&options, &err)) {
        fprintf(stderr, "workbench_demo: %s\n", err.text);
        return 1;
    }
    return 0;
}
