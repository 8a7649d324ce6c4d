#include "tui/panels/candidate_query.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/agent/reply/reply.h"
#include "core/base/mem.h"
#include "core/judge/tools/listing_form.h"

static void end_worker(void *data)
{
    struct candidate_query *query = data;

    evaluator_close(query->evaluator);
    query->evaluator = NULL;
}

static void report_change(struct candidate_query *query)
{
    query->changes++;
    if (query->options.changed)
        query->options.changed(query->options.data, query);
}

/*
 * End the query. A timer closes the evaluator, because this function may be called from the
 * evaluator.
 */
static void finish(struct candidate_query *query)
{
    query->is_under_way = false;
    if (query->evaluator)
        loop_set_timer(query->options.loop, &query->ending, 0, end_worker, query);
    report_change(query);
}

static void fail(struct candidate_query *query, const struct error *err)
{
    snprintf(query->trouble, sizeof(query->trouble), "%s", err->text);
    finish(query);
}

static void on_progress(void *data, const struct evaluation_progress *progress)
{
    struct candidate_query *query = data;

    snprintf(query->stage, sizeof(query->stage), "%s", progress->stage);
    report_change(query);
}

static enum status ask(struct candidate_query *query, const struct candidate *candidate,
                       struct error *err)
{
    const struct judge_listing listing = {
        .candidate = candidate, .form = listing_form_of(query->what), .tuned = query->tuned};
    const struct judge_request request = {
        .candidate = candidate,
        .tools = {.profile = query->kind == CANDIDATE_QUERY_PROFILE,
                  .sanitizer = query->kind == CANDIDATE_QUERY_SANITIZING ? query->what : NULL}};

    return query->kind == CANDIDATE_QUERY_LISTING
               ? evaluator_list(query->evaluator, &listing, err)
               : evaluator_evaluate(query->evaluator, &request, err);
}

static void on_loaded(void *data)
{
    struct candidate_query *query = data;
    struct candidate candidate = {0};
    struct error err = {0};
    enum status st = reply_parse(strbuf_cstr(&query->reply), query->language, &candidate, &err);

    if (!st)
        st = ask(query, &candidate, &err);
    if (st)
        fail(query, &err);
    candidate_release(&candidate);
}

static void on_listing(void *data, const struct json *answer)
{
    struct candidate_query *query = data;

    strbuf_adds(&query->listing, json_get_string(answer, "text", ""));
    finish(query);
}

/* The part of a verdict that answers the question. */
struct answer {
    const char *name;
    const struct field *fields;
    void *place;
    bool *is_present; /* in `place` */
    bool is_there;
    const char *missing;
};

static struct answer answer_of(struct candidate_query *query, const struct verdict *verdict)
{
    if (query->kind == CANDIDATE_QUERY_PROFILE)
        return (struct answer){"profile",
                               profile_fields,
                               &query->profile,
                               &query->profile.is_present,
                               verdict->profile.is_present,
                               verdict->profile.missing};
    return (struct answer){"sanitizing",
                           sanitizing_fields,
                           &query->findings,
                           &query->findings.is_present,
                           verdict->sanitizing.is_present,
                           verdict->sanitizing.missing};
}

/* Decode the answer again, because the verdict is freed after this call. */
static void on_verdict(void *data, const struct verdict *verdict, const struct json *encoded)
{
    struct candidate_query *query = data;
    const struct answer answer = answer_of(query, verdict);
    struct json_ref root = json_ref_root(json_get(encoded, answer.name), answer.name);
    struct error err = {0};

    if (!answer.is_there)
        error_set(&err, STATUS_INVALID, "%s: %s", outcome_name(verdict->outcome),
                  verdict->detail ? verdict->detail : "it was not run");
    else if (answer.missing)
        error_set(&err, STATUS_UNAVAILABLE, "%s", answer.missing);
    else if (!record_decode(answer.fields, answer.place, &root, &err))
        *answer.is_present = true;
    if (*err.text)
        fail(query, &err);
    else
        finish(query);
}

static void on_failed(void *data, const struct error *err)
{
    fail(data, err);
}

static enum status start(struct candidate_query *query,
                         const struct candidate_query_subject *subject, struct error *err)
{
    const struct evaluator_listener listener = {.progress = on_progress,
                                                .loaded = on_loaded,
                                                .done = on_verdict,
                                                .answered = on_listing,
                                                .failed = on_failed,
                                                .data = query};
    struct evaluator_options worker = query->options.worker;
    enum status st;

    if (subject->refused)
        return error_set(err, STATUS_INVALID, "%s", subject->refused);
    worker.device = subject->device;
    st = evaluator_open(query->options.loop, &worker, &listener, &query->evaluator, err);
    if (!st)
        st = evaluator_load(query->evaluator, subject->problem, "problem.json", err);
    return st;
}

static void forget(struct candidate_query *query)
{
    if (query->options.loop)
        loop_clear_timer(query->options.loop, &query->ending);
    evaluator_close(query->evaluator);
    strbuf_release(&query->listing);
    strbuf_release(&query->reply);
    sanitizing_release(&query->findings);
    profile_release(&query->profile);
    free(query->language);
    free(query->tuned);
    *query = (struct candidate_query){.options = query->options, .changes = query->changes + 1};
}

void candidate_query_begin(struct candidate_query *query, enum candidate_query_kind kind,
                           const char *what, const struct candidate_query_subject *subject)
{
    struct error err = {0};

    forget(query);
    query->kind = kind;
    snprintf(query->what, sizeof(query->what), "%s", what);
    snprintf(query->candidate_id, sizeof(query->candidate_id), "%s", subject->id);
    strbuf_adds(&query->reply, subject->reply);
    query->language = mem_strdup(subject->language);
    query->tuned = mem_strdup(subject->tuned);
    query->is_under_way = true;
    if (start(query, subject, &err))
        fail(query, &err);
}

bool candidate_query_is_of(const struct candidate_query *query, enum candidate_query_kind kind,
                           const char *what, const char *candidate_id)
{
    return query->kind == kind && (!what || strcmp(query->what, what) == 0) &&
           strcmp(query->candidate_id, candidate_id) == 0;
}

void candidate_query_cancel(struct candidate_query *query, const char *reason)
{
    if (!query->is_under_way)
        return;
    evaluator_cancel(query->evaluator);
    snprintf(query->trouble, sizeof(query->trouble), "%s", reason);
    finish(query);
}

void candidate_query_release(struct candidate_query *query)
{
    forget(query);
}
