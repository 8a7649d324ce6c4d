#include "tui/screens/worker_probe.h"

#include <stdlib.h>

#include "core/base/mem.h"
#include "core/system/file.h"

enum { MODEL_MAX_BYTES = 4 << 20 };

static enum status ask_for_lint(struct worker_probe *worker_probe,
                                const struct listed_problem *listed, struct error *err)
{
    struct json *members = json_object_new();
    struct strbuf text = {0};

    json_print(listed->problem.document, &text);
    json_put_string(members, "problem", strbuf_cstr(&text));
    json_put_string(members, "file", listed->path);
    strbuf_release(&text);
    worker_probe->asked = ASKED_LINT;
    return evaluator_ask(worker_probe->evaluator, "lint", members, err);
}

/* Handle a failure; all failures are about the worker, not about a problem. */
static void on_failed(void *data, const struct error *err)
{
    struct worker_probe *worker_probe = data;
    struct start_settings *settings = worker_probe->options.settings;

    worker_probe->asked = ASKED_NOTHING;
    free(settings->trouble);
    settings->trouble = mem_strdup(err->text);
    worker_probe->options.changed(worker_probe->options.data);
}

static void ask_next(void *data)
{
    struct worker_probe *worker_probe = data;
    const struct problem_list *problem_list = worker_probe->options.problem_list;
    struct error err = {0};
    enum status st = STATUS_OK;

    worker_probe->linted = 0;
    worker_probe->is_outdated = false;
    while (worker_probe->linted < problem_list->count &&
           problem_list->items[worker_probe->linted].is_linted)
        worker_probe->linted++;
    if (worker_probe->linted < problem_list->count)
        st = ask_for_lint(worker_probe, &problem_list->items[worker_probe->linted], &err);
    if (st)
        on_failed(worker_probe, &err);
}

/* Ask the next question soon, unless one is asked. */
static void go_on(struct worker_probe *worker_probe)
{
    if (worker_probe->asked == ASKED_NOTHING)
        loop_set_timer(worker_probe->options.loop, &worker_probe->asking, 0, ask_next,
                       worker_probe);
}

void worker_probe_lint_again(struct worker_probe *worker_probe, size_t problem)
{
    worker_probe->is_outdated |= worker_probe->linted == problem;
    go_on(worker_probe);
}

static enum status take_devices(struct worker_probe *worker_probe, const struct json *answer,
                                struct error *err)
{
    strbuf_adds(&worker_probe->libraries, json_get_string(answer, "libraries", ""));
    return start_settings_take_devices(worker_probe->options.settings, answer, err);
}

static enum status take_findings(struct worker_probe *worker_probe, const struct json *answer,
                                 struct error *err)
{
    struct json_ref root = json_ref_root(answer, "worker");
    struct json_ref list = json_ref_member(&root, "findings");
    struct listed_problem *listed =
        &worker_probe->options.problem_list->items[worker_probe->linted];

    if (worker_probe->is_outdated)
        return STATUS_OK;
    listed->is_linted = true;
    return hazard_list_decode(&listed->findings, &list, err);
}

static void on_answer(void *data, const struct json *answer)
{
    static enum status (*const takers[])(struct worker_probe * worker_probe,
                                         const struct json *answer, struct error *err) = {
        [ASKED_DEVICES] = take_devices, [ASKED_LINT] = take_findings};
    struct worker_probe *worker_probe = data;
    struct error err = {0};
    enum status st = takers[worker_probe->asked](worker_probe, answer, &err);

    if (st) {
        on_failed(worker_probe, &err);
        return;
    }
    worker_probe->asked = ASKED_NOTHING;
    go_on(worker_probe);
    worker_probe->options.changed(worker_probe->options.data);
}

void worker_probe_open(struct worker_probe *worker_probe,
                       const struct worker_probe_options *options)
{
    const struct evaluator_listener listener = {
        .answered = on_answer, .failed = on_failed, .data = worker_probe};
    struct error err = {0};
    enum status st;

    *worker_probe = (struct worker_probe){.options = *options, .asked = ASKED_DEVICES};
    st = evaluator_open(options->loop, options->worker, &listener, &worker_probe->evaluator, &err);
    if (!st)
        st = evaluator_ask(worker_probe->evaluator, "devices", json_object_new(), &err);
    if (st)
        on_failed(worker_probe, &err);
}

void worker_probe_close(struct worker_probe *worker_probe)
{
    if (!worker_probe->options.loop)
        return;
    loop_clear_timer(worker_probe->options.loop, &worker_probe->asking);
    loop_clear_timer(worker_probe->options.loop, &worker_probe->reading);
    evaluator_close(worker_probe->evaluator);
    evaluator_close(worker_probe->reader);
    free(worker_probe->model);
    strbuf_release(&worker_probe->libraries);
    *worker_probe = (struct worker_probe){0};
}

static void end_reading(struct worker_probe *worker_probe, const struct error *err)
{
    char *model = worker_probe->model;

    worker_probe->model = NULL;
    worker_probe->options.read(worker_probe->options.data, model, err);
    free(model);
}

static void on_unread(void *data, const struct error *err)
{
    end_reading(data, err);
}

static void on_problem(void *data, const struct json *answer)
{
    struct worker_probe *worker_probe = data;
    struct strbuf text = {0};
    struct error err = {0};
    enum status st;

    json_print(json_get(answer, "problem"), &text);
    st = problem_list_add(worker_probe->options.problem_list, worker_probe->model,
                          strbuf_cstr(&text), &err);
    strbuf_release(&text);
    end_reading(worker_probe, st ? &err : NULL);
    go_on(worker_probe);
}

static enum status open_reader(struct worker_probe *worker_probe, struct error *err)
{
    const struct evaluator_listener listener = {
        .answered = on_problem, .failed = on_unread, .data = worker_probe};

    if (worker_probe->reader)
        return STATUS_OK;
    return evaluator_open(worker_probe->options.loop, worker_probe->options.worker, &listener,
                          &worker_probe->reader, err);
}

static enum status ask_for_problem(struct worker_probe *worker_probe, struct error *err)
{
    struct json *members;
    struct strbuf source = {0};
    enum status st = file_read(worker_probe->model, MODEL_MAX_BYTES, &source, err);

    if (!st)
        st = open_reader(worker_probe, err);
    if (!st) {
        members = json_object_new();
        json_put_string(members, "model", strbuf_cstr(&source));
        json_put_string(members, "file", worker_probe->model);
        json_put_string(members, "tolerance",
                        start_settings_tolerance(worker_probe->options.settings));
        st = evaluator_ask(worker_probe->reader, "describe", members, err);
    }
    strbuf_release(&source);
    return st;
}

static void read_model(void *data)
{
    struct worker_probe *worker_probe = data;
    struct error err = {0};

    if (ask_for_problem(worker_probe, &err))
        end_reading(worker_probe, &err);
}

bool worker_probe_read_model(struct worker_probe *worker_probe, const char *path)
{
    if (worker_probe->model)
        return false;
    worker_probe->model = mem_strdup(path);
    loop_set_timer(worker_probe->options.loop, &worker_probe->reading, 0, read_model, worker_probe);
    return true;
}
