#include "tui/panels/inspection.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/agent/reply/reply.h"
#include "core/base/mem.h"

const char *const inspection_forms[] = {"ptx", "sass", NULL};

static void end_worker(void *data)
{
    struct inspection *inspection = data;

    evaluator_close(inspection->evaluator);
    inspection->evaluator = NULL;
}

static void tell(struct inspection *inspection)
{
    inspection->changes++;
    if (inspection->options.changed)
        inspection->options.changed(inspection->options.data, inspection);
}

/* The answer is there, or is not to be had; the worker ends when it has been heard out. */
static void finish(struct inspection *inspection)
{
    inspection->is_under_way = false;
    if (inspection->evaluator)
        loop_set_timer(inspection->options.loop, &inspection->ending, 0, end_worker, inspection);
    tell(inspection);
}

static void fail(struct inspection *inspection, const struct error *err)
{
    snprintf(inspection->trouble, sizeof(inspection->trouble), "%s", err->text);
    finish(inspection);
}

static void hear_progress(void *data, const struct evaluation_progress *progress)
{
    struct inspection *inspection = data;

    snprintf(inspection->stage, sizeof(inspection->stage), "%s", progress->stage);
    tell(inspection);
}

static enum status ask(struct inspection *inspection, const struct candidate *candidate,
                       struct error *err)
{
    const struct judge_listing listing = {
        .candidate = candidate, .form = inspection->what, .tuned = inspection->tuned};
    const struct judge_request request = {.candidate = candidate,
                                          .looks = {.sanitizer = inspection->what}};

    return inspection->kind == INSPECTION_LISTING
               ? evaluator_list(inspection->evaluator, &listing, err)
               : evaluator_evaluate(inspection->evaluator, &request, err);
}

static void hear_loaded(void *data)
{
    struct inspection *inspection = data;
    struct candidate candidate = {0};
    struct error err = {0};
    enum status st =
        reply_parse(strbuf_cstr(&inspection->reply), inspection->language, &candidate, &err);

    if (!st)
        st = ask(inspection, &candidate, &err);
    if (st)
        fail(inspection, &err);
    candidate_release(&candidate);
}

static void hear_listing(void *data, const struct json *answer)
{
    struct inspection *inspection = data;

    strbuf_adds(&inspection->listing, json_get_string(answer, "text", ""));
    finish(inspection);
}

/* Takes the findings as they are encoded, since the verdict goes. */
static void hear_verdict(void *data, const struct verdict *verdict, const struct json *encoded)
{
    struct inspection *inspection = data;
    struct json_ref root = json_ref_root(json_get(encoded, "sanitizing"), "sanitizing");
    struct error err = {0};

    if (!verdict->sanitizing.is_present)
        error_set(&err, STATUS_INVALID, "%s: %s", outcome_name(verdict->outcome),
                  verdict->detail ? verdict->detail : "it was not run");
    else if (verdict->sanitizing.missing)
        error_set(&err, STATUS_UNAVAILABLE, "%s", verdict->sanitizing.missing);
    else if (!record_decode(sanitizing_fields, &inspection->findings, &root, &err))
        inspection->findings.is_present = true;
    if (*err.text)
        fail(inspection, &err);
    else
        finish(inspection);
}

static void hear_failed(void *data, const struct error *err)
{
    fail(data, err);
}

static enum status start(struct inspection *inspection, const struct inspection_subject *subject,
                         struct error *err)
{
    const struct evaluator_listener listener = {.progress = hear_progress,
                                                .loaded = hear_loaded,
                                                .done = hear_verdict,
                                                .answered = hear_listing,
                                                .failed = hear_failed,
                                                .data = inspection};
    struct evaluator_options worker = inspection->options.worker;
    enum status st;

    if (subject->refused)
        return error_set(err, STATUS_INVALID, "%s", subject->refused);
    worker.device = subject->device;
    st = evaluator_open(inspection->options.loop, &worker, &listener, &inspection->evaluator, err);
    if (!st)
        st = evaluator_load(inspection->evaluator, subject->problem, "problem.json", err);
    return st;
}

static void forget(struct inspection *inspection)
{
    if (inspection->options.loop)
        loop_clear_timer(inspection->options.loop, &inspection->ending);
    evaluator_close(inspection->evaluator);
    strbuf_release(&inspection->listing);
    strbuf_release(&inspection->reply);
    sanitizing_release(&inspection->findings);
    free(inspection->language);
    free(inspection->tuned);
    *inspection =
        (struct inspection){.options = inspection->options, .changes = inspection->changes + 1};
}

void inspection_begin(struct inspection *inspection, enum inspection_kind kind, const char *what,
                      const struct inspection_subject *subject)
{
    struct error err = {0};

    forget(inspection);
    inspection->kind = kind;
    snprintf(inspection->what, sizeof(inspection->what), "%s", what);
    snprintf(inspection->candidate_id, sizeof(inspection->candidate_id), "%s", subject->id);
    strbuf_adds(&inspection->reply, subject->reply);
    inspection->language = mem_strdup(subject->language);
    inspection->tuned = mem_strdup(subject->tuned);
    inspection->is_under_way = true;
    if (start(inspection, subject, &err))
        fail(inspection, &err);
}

bool inspection_is_of(const struct inspection *inspection, enum inspection_kind kind,
                      const char *what, const char *candidate_id)
{
    return inspection->kind == kind && (!what || strcmp(inspection->what, what) == 0) &&
           strcmp(inspection->candidate_id, candidate_id) == 0;
}

void inspection_cancel(struct inspection *inspection, const char *reason)
{
    if (!inspection->is_under_way)
        return;
    evaluator_cancel(inspection->evaluator);
    snprintf(inspection->trouble, sizeof(inspection->trouble), "%s", reason);
    finish(inspection);
}

void inspection_release(struct inspection *inspection)
{
    forget(inspection);
}
