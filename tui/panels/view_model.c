#include "tui/panels/view_model.h"

#include <stdio.h>
#include <string.h>

#include "core/agent/reply/reply.h"
#include "core/session/state/engine.h"
#include "core/session/state/scaled_verdict.h"

static void subject_release(struct subject *subject)
{
    strbuf_release(&subject->reply);
    candidate_release(&subject->candidate);
    strbuf_release(&subject->plan);
    verdict_release(&subject->verdict);
    *subject = (struct subject){0};
}

const char *subject_source(const struct subject *subject)
{
    return subject->candidate.source ? subject->candidate.source : strbuf_cstr(&subject->reply);
}

const struct kernel_time *subject_hottest(const struct subject *subject)
{
    const struct timing *timing = &subject->verdict.timing;
    const struct kernel_time *hottest = NULL;

    for (size_t i = 0; i < timing->per_kernel.count; i++)
        if (!hottest || timing->per_kernel.items[i].median_us > hottest->median_us)
            hottest = &timing->per_kernel.items[i];
    return hottest;
}

/* Find `name` as a word that is followed by a parenthesis; NULL if it is not there. */
static const char *find_function(const char *source, const char *name)
{
    static const char word[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    size_t len = strlen(name);

    for (const char *at = strstr(source, name); at; at = strstr(at + 1, name)) {
        bool is_begun = at == source || !strchr(word, at[-1]);

        if (is_begun && at[len + strspn(at + len, " ")] == '(')
            return at;
    }
    return NULL;
}

/* The line, from 1, at which a kernel begins; 0 if it was not found. */
static size_t line_of_kernel(const char *source, const char *name)
{
    const char *at = find_function(source, name);
    size_t line = at != NULL;

    for (const char *c = source; at && c < at; c++)
        line += *c == '\n';
    return line;
}

/* The hottest line of the kernel with the largest share; 0 if no profiler has seen one. */
static size_t hottest_profiled_line(const struct profile *profile)
{
    const struct kernel_profile *hottest = NULL;

    for (size_t i = 0; i < profile->kernels.count; i++)
        if (profile->kernels.items[i].hot.count &&
            (!hottest || profile->kernels.items[i].share > hottest->share))
            hottest = &profile->kernels.items[i];
    return hottest ? hottest->hot.items[0].line : 0;
}

size_t subject_hottest_line(const struct subject *subject)
{
    const struct kernel_time *hottest = subject_hottest(subject);
    size_t line = hottest_profiled_line(&subject->verdict.profile);

    if (line || !hottest)
        return line;
    return line_of_kernel(subject_source(subject), hottest->kernel);
}

size_t subject_error_line(const struct subject *subject)
{
    const struct build_report *build = &subject->verdict.build;

    for (size_t i = 0; i < build->diagnostics.count; i++)
        if (build->diagnostics.items[i].severity == SEVERITY_ERROR &&
            build->diagnostics.items[i].line)
            return build->diagnostics.items[i].line;
    return 0;
}

enum status view_model_read_verdict(const struct view_model *view_model, const char *id,
                                    struct verdict *verdict, struct error *err)
{
    struct strbuf text = {0};
    struct json *document = NULL;
    enum status st = view_model->source.text(view_model->source.data, id, &text, err);

    if (!st) {
        document = json_parse(strbuf_cstr(&text), text.len, err);
        st = document ? STATUS_OK : STATUS_INVALID;
    }
    if (!st) {
        struct json_ref root = json_ref_root(document, "verdict");

        st = verdict_decode(verdict, &root, err);
    }
    json_free(document);
    strbuf_release(&text);
    return st;
}

static enum status read_verdict(const struct view_model *view_model, struct subject *subject,
                                struct error *err)
{
    enum status st =
        view_model_read_verdict(view_model, subject->verdict_id, &subject->verdict, err);

    subject->has_verdict = !st;
    return st;
}

/* Indent the plan; keep it as it was written if it is not JSON. */
static void lay_out_plan(struct subject *subject)
{
    const char *plan = subject->candidate.plan ? subject->candidate.plan : "";
    struct json *document = json_parse(plan, strlen(plan), NULL);

    if (document)
        json_print_pretty(document, &subject->plan);
    else
        strbuf_adds(&subject->plan, plan);
    json_free(document);
}

/* Append a text from the cache, or read it and keep it. */
static enum status read_text(struct view_model *view_model, const char *id, struct strbuf *out,
                             struct error *err)
{
    size_t from = out->len;
    enum status st;

    if (text_cache_find(&view_model->texts, id, out))
        return STATUS_OK;
    st = view_model->source.text(view_model->source.data, id, out, err);
    if (!st)
        text_cache_keep(&view_model->texts, id, strbuf_cstr(out) + from, out->len - from);
    return st;
}

static enum status read_candidate(struct view_model *view_model, struct subject *subject,
                                  struct error *err)
{
    enum status st = read_text(view_model, subject->candidate_id, &subject->reply, err);

    /*
     * A reply without a candidate is not an error here: the reply is shown, and its verdict says
     * what is missing.
     */
    if (!st && reply_parse(strbuf_cstr(&subject->reply),
                           session_language(view_model->session, subject->attempt),
                           &subject->candidate, NULL))
        subject->candidate = (struct candidate){0};
    lay_out_plan(subject);
    return st;
}

static bool is_held(const struct subject *subject, const struct attempt *attempt)
{
    return subject->attempt == attempt->number &&
           strcmp(subject->candidate_id, attempt->candidate) == 0 &&
           strcmp(subject->verdict_id, attempt->verdict) == 0;
}

/* Read the texts of an attempt. */
static void read_subject(struct view_model *view_model, struct subject *subject,
                         const struct attempt *attempt)
{
    struct error err = {0};
    enum status st = STATUS_OK;

    subject->attempt = attempt->number;
    memcpy(subject->candidate_id, attempt->candidate, OBJECT_ID_SIZE);
    memcpy(subject->verdict_id, attempt->verdict, OBJECT_ID_SIZE);
    if (*subject->candidate_id)
        st = read_candidate(view_model, subject, &err);
    if (!st && *subject->verdict_id)
        st = read_verdict(view_model, subject, &err);
    if (st)
        snprintf(subject->problem, sizeof(subject->problem), "%s", err.text);
}

/*
 * Keep the texts of an attempt; they are read only if their ids have changed. The verdict is put on
 * the scale each time, because verdicts of other attempts refine the times of the baselines.
 */
static void hold(struct view_model *view_model, struct subject *subject, unsigned number)
{
    const struct attempt *attempt = session_attempt(view_model->session, number);

    if (attempt ? !is_held(subject, attempt) : subject->attempt != 0) {
        subject_release(subject);
        view_model->generation++;
        if (attempt)
            read_subject(view_model, subject, attempt);
    }
    if (subject->has_verdict)
        scaled_verdict_make(view_model->session, attempt, &subject->verdict);
}

static void release_step_text(struct view_model *view_model)
{
    strbuf_release(&view_model->step_text);
    recommendation_release(&view_model->advice);
    view_model->has_advice = false;
}

static void hold_step_text(struct view_model *view_model)
{
    const struct step *step = session_step(view_model->session, view_model->step);
    const char *id = step ? session_step_text(step) : "";
    struct error err = {0};

    if (strcmp(view_model->step_text_id, id) == 0)
        return;
    release_step_text(view_model);
    snprintf(view_model->step_text_id, sizeof(view_model->step_text_id), "%s", id);
    if (*id && read_text(view_model, id, &view_model->step_text, &err))
        strbuf_adds(&view_model->step_text, err.text);
    if (step && step->kind == STEP_RECOMMENDATION)
        view_model->has_advice =
            !recommendation_parse(&view_model->advice, strbuf_cstr(&view_model->step_text), NULL);
}

static void hold_reference(struct view_model *view_model)
{
    const char *id = view_model->session->reference;
    struct error err = {0};

    if (*id && !view_model->reference.len &&
        view_model->source.text(view_model->source.data, id, &view_model->reference, &err))
        strbuf_adds(&view_model->reference, err.text);
}

/* Compute the changed lines that are shown with the decision to keep a candidate. */
static void find_changes(struct view_model *view_model)
{
    const struct step *step = session_step(view_model->session, view_model->step);

    if (!step || step->kind != STEP_KEEP || view_model->compared == view_model->generation)
        return;
    diff_release(&view_model->changes);
    view_model->compared = view_model->generation;
    if (view_model->shown.attempt && view_model->best.attempt)
        diff_lines(subject_source(&view_model->best), subject_source(&view_model->shown),
                   &view_model->changes);
}

const struct diff *view_model_changes(const struct view_model *view_model)
{
    bool is_known = view_model->compared == view_model->generation && view_model->shown.attempt &&
                    view_model->best.attempt;

    return is_known ? &view_model->changes : NULL;
}

/*
 * Find the last recommendation for the attempt in view. The search may stop early, because an
 * attempt can only be analysed after it exists, and attempts are numbered in the order of their
 * creation.
 */
static void find_advice(struct view_model *view_model)
{
    const struct session *session = view_model->session;

    view_model->advised_by = 0;
    for (size_t i = session->steps.count; i > 0 && !view_model->advised_by; i--) {
        const struct step *step = &session->steps.items[i - 1];

        if (step->kind == STEP_CANDIDATE && step->attempt <= view_model->attempt)
            return;
        if (step->kind == STEP_RECOMMENDATION && step->attempt == view_model->attempt)
            view_model->advised_by = (unsigned)i;
    }
}

/* The best attempt; for the best attempt itself, the best one before it; 0 if there is none. */
static unsigned best_other(const struct session *session, const struct attempt *attempt)
{
    return attempt && attempt->number == session->now.best ? attempt->timed_with
                                                           : session->now.best;
}

static void fetch(struct view_model *view_model)
{
    const struct attempt *attempt = session_attempt(view_model->session, view_model->attempt);

    hold(view_model, &view_model->shown, view_model->attempt);
    hold(view_model, &view_model->parent, attempt ? attempt->parent : 0);
    hold(view_model, &view_model->best, best_other(view_model->session, attempt));
    hold(view_model, &view_model->chosen, view_model->other);
    hold_step_text(view_model);
    hold_reference(view_model);
    find_advice(view_model);
    find_changes(view_model);
}

/* The last step that is not undone; 0 if there is none. */
static unsigned last_step(const struct session *session)
{
    unsigned number = (unsigned)session->steps.count;

    while (number > 0 && session_step(session, number)->is_undone)
        number--;
    return number;
}

/*
 * The attempt that is shown unless the engineer chooses one: the current one. While an older
 * attempt is proposed to be kept, a version that the engineer just saved stays in view.
 */
static const struct attempt *latest_attempt(const struct session *session)
{
    const struct attempt *last = session_last_attempt(session);
    bool is_saved = session->now.stage == STAGE_KEEP && last && last->origin == ORIGIN_ENGINEER;

    return is_saved ? last : session_subject(session);
}

void view_model_look_at_step(struct view_model *view_model, unsigned number)
{
    const struct step *step = session_step(view_model->session, number);

    if (!step)
        return;
    view_model->step = number;
    view_model->is_elsewhere = number != last_step(view_model->session);
    if (step->attempt)
        view_model->attempt = step->attempt;
    fetch(view_model);
}

/* True if a step judges or proposes the attempt; a prompt only names the attempt it starts from. */
static bool is_about(const struct step *step, unsigned attempt)
{
    return step->attempt == attempt && step->kind != STEP_PROMPT;
}

void view_model_look_at_attempt(struct view_model *view_model, unsigned number)
{
    const struct session *session = view_model->session;

    if (!session_attempt(session, number))
        return;
    view_model->is_elsewhere = session_attempt(session, number) != latest_attempt(session);
    for (size_t i = 0; i < session->steps.count; i++)
        if (is_about(&session->steps.items[i], number))
            view_model->step = session->steps.items[i].number;
    view_model->attempt = number;
    fetch(view_model);
}

void view_model_compare_with(struct view_model *view_model, unsigned number)
{
    const struct attempt *last = latest_attempt(view_model->session);

    view_model->other = number;
    if (last && number == view_model->attempt)
        view_model_look_at_attempt(view_model, last->number);
    fetch(view_model);
}

void view_model_refresh(struct view_model *view_model)
{
    const struct attempt *last = latest_attempt(view_model->session);

    if (!view_model->is_elsewhere) {
        view_model->step = last_step(view_model->session);
        view_model->attempt = last ? last->number : 0;
    }
    fetch(view_model);
}

void view_model_release(struct view_model *view_model)
{
    subject_release(&view_model->shown);
    subject_release(&view_model->parent);
    subject_release(&view_model->best);
    subject_release(&view_model->chosen);
    release_step_text(view_model);
    diff_release(&view_model->changes);
    text_cache_release(&view_model->texts);
    strbuf_release(&view_model->reference);
    candidate_query_release(&view_model->query);
    *view_model = (struct view_model){0};
}

const struct step *view_model_waiting(const struct view_model *view_model)
{
    const struct step *step = session_pending(view_model->session);

    return step && engine_asks(view_model->session) ? step : NULL;
}

static enum scene scene_of_attempt(const struct attempt *attempt)
{
    if (!attempt || !attempt->is_evaluated)
        return SCENE_CANDIDATE;
    if (attempt->outcome == OUTCOME_CORRECT)
        return SCENE_PROFILE;
    if (attempt->outcome == OUTCOME_BAD_REPLY || attempt->outcome == OUTCOME_BAD_PLAN ||
        attempt->outcome == OUTCOME_BUILD_FAILED)
        return SCENE_BUILD;
    return SCENE_WRONG;
}

/* The scene of a prompt. An accepted prompt asks for a repair if the kernel in view failed. */
static enum scene scene_of_prompt(const struct view_model *view_model, const struct step *step)
{
    const struct attempt *attempt = session_attempt(view_model->session, view_model->attempt);
    bool is_under_way = view_model->live && !view_model->is_elsewhere &&
                        step->decision != DECISION_PENDING &&
                        view_model->session->now.stage != STAGE_CLOSED;

    if (is_under_way && attempt && attempt->is_evaluated && attempt->outcome != OUTCOME_CORRECT)
        return scene_of_attempt(attempt);
    return SCENE_PROMPT;
}

/*
 * The kernel that decides is the attempt in view, which is not the step's if the engineer edited
 * it.
 */
enum scene view_model_scene(const struct view_model *view_model)
{
    const struct step *step = session_step(view_model->session, view_model->step);

    if (!step)
        return SCENE_OVERVIEW;
    switch (step->kind) {
    case STEP_PROMPT:
        return scene_of_prompt(view_model, step);
    case STEP_RECOMMENDATION:
        return SCENE_ADVICE;
    case STEP_KEEP:
        return SCENE_KEEP;
    case STEP_CANDIDATE:
        break;
    }
    return scene_of_attempt(session_attempt(view_model->session, view_model->attempt));
}
