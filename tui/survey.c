#include "tui/survey.h"

#include <stdlib.h>

#include "core/base/file.h"
#include "core/base/mem.h"

enum { MODEL_MAX_BYTES = 4 << 20 };

static enum status ask_for_lint(struct survey *survey, const struct offered_problem *offered,
                                struct error *err)
{
    struct json *members = json_object_new();
    struct strbuf text = {0};

    json_print(offered->problem.document, &text);
    json_put_string(members, "problem", strbuf_cstr(&text));
    json_put_string(members, "file", offered->path);
    strbuf_release(&text);
    survey->asked = ASKED_LINT;
    return evaluator_ask(survey->evaluator, "lint", members, err);
}

static enum status ask_for_problem(struct survey *survey, struct error *err)
{
    struct strbuf source = {0};
    enum status st = file_read(survey->model, MODEL_MAX_BYTES, &source, err);

    survey->asked = ASKED_MODEL;
    if (!st) {
        struct json *members = json_object_new();

        json_put_string(members, "model", strbuf_cstr(&source));
        json_put_string(members, "file", survey->model);
        json_put_string(members, "tolerance", settings_tolerance(survey->options.settings));
        st = evaluator_ask(survey->evaluator, "describe", members, err);
    }
    strbuf_release(&source);
    return st;
}

static void end_reading(struct survey *survey, const struct error *err)
{
    char *model = survey->model;

    survey->model = NULL;
    survey->options.read(survey->options.data, model, err);
    free(model);
}

/* What is wrong with a model is no trouble of the device's. */
static void hear_failed(void *data, const struct error *err)
{
    struct survey *survey = data;
    struct settings *settings = survey->options.settings;
    enum survey_question asked = survey->asked;

    survey->asked = ASKED_NOTHING;
    if (asked == ASKED_MODEL) {
        end_reading(survey, err);
        survey_go_on(survey);
    } else {
        free(settings->trouble);
        settings->trouble = mem_strdup(err->text);
        survey->options.changed(survey->options.data);
    }
}

static void ask_next(void *data)
{
    struct survey *survey = data;
    const struct offer *offer = survey->options.offer;
    struct error err = {0};
    enum status st = STATUS_OK;

    survey->linted = 0;
    while (survey->linted < offer->count && offer->items[survey->linted].is_linted)
        survey->linted++;
    if (survey->model)
        st = ask_for_problem(survey, &err);
    else if (survey->linted < offer->count)
        st = ask_for_lint(survey, &offer->items[survey->linted], &err);
    if (st)
        hear_failed(survey, &err);
}

void survey_go_on(struct survey *survey)
{
    if (survey->asked == ASKED_NOTHING)
        loop_set_timer(survey->options.loop, &survey->asking, 0, ask_next, survey);
}

static enum status take_devices(struct survey *survey, const struct json *answer, struct error *err)
{
    strbuf_adds(&survey->libraries, json_get_string(answer, "libraries", ""));
    return settings_take_devices(survey->options.settings, answer, err);
}

static enum status take_problem(struct survey *survey, const struct json *answer, struct error *err)
{
    struct strbuf text = {0};
    enum status st;

    json_print(json_get(answer, "problem"), &text);
    st = offer_add(survey->options.offer, survey->model, strbuf_cstr(&text), err);
    strbuf_release(&text);
    if (!st)
        end_reading(survey, NULL);
    return st;
}

static enum status take_findings(struct survey *survey, const struct json *answer,
                                 struct error *err)
{
    struct json_ref root = json_ref_root(answer, "worker");
    struct json_ref list = json_ref_member(&root, "findings");
    struct offered_problem *offered = &survey->options.offer->items[survey->linted];

    offered->is_linted = true;
    return hazard_list_decode(&offered->findings, &list, err);
}

static void hear_answer(void *data, const struct json *answer)
{
    static enum status (*const takers[])(struct survey * survey, const struct json *answer,
                                         struct error *err) = {
        [ASKED_DEVICES] = take_devices, [ASKED_MODEL] = take_problem, [ASKED_LINT] = take_findings};
    struct survey *survey = data;
    struct error err = {0};
    enum status st = takers[survey->asked](survey, answer, &err);

    if (st) {
        hear_failed(survey, &err);
        return;
    }
    survey->asked = ASKED_NOTHING;
    survey_go_on(survey);
    survey->options.changed(survey->options.data);
}

void survey_open(struct survey *survey, const struct survey_options *options)
{
    const struct evaluator_listener listener = {
        .answered = hear_answer, .failed = hear_failed, .data = survey};
    struct error err = {0};
    enum status st;

    *survey = (struct survey){.options = *options, .asked = ASKED_DEVICES};
    st = evaluator_open(options->loop, options->worker, &listener, &survey->evaluator, &err);
    if (!st)
        st = evaluator_ask(survey->evaluator, "devices", json_object_new(), &err);
    if (st)
        hear_failed(survey, &err);
}

void survey_close(struct survey *survey)
{
    loop_clear_timer(survey->options.loop, &survey->asking);
    evaluator_close(survey->evaluator);
    free(survey->model);
    strbuf_release(&survey->libraries);
}

bool survey_read_model(struct survey *survey, const char *path)
{
    if (survey->model)
        return false;
    survey->model = mem_strdup(path);
    survey_go_on(survey);
    return true;
}
