#include "tui/scene.h"

#include <stdio.h>
#include <string.h>

#include "core/agent/reply.h"
#include "core/judge/sanitizer.h"
#include "core/session/diff.h"
#include "core/session/engine.h"

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

/* Where `name` stands as a word with its parameters behind it; NULL: nowhere. */
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

/* Where a kernel begins in the source, from 1; 0: nowhere. */
static size_t line_of_kernel(const char *source, const char *name)
{
    const char *at = find_function(source, name);
    size_t line = at != NULL;

    for (const char *c = source; at && c < at; c++)
        line += *c == '\n';
    return line;
}

/* As a profiler saw it; 0: none has. */
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

static enum status read_verdict(const struct scene *scene, struct subject *subject,
                                struct error *err)
{
    struct strbuf text = {0};
    struct json *document = NULL;
    enum status st = scene->source.text(scene->source.data, subject->verdict_id, &text, err);

    if (!st) {
        document = json_parse(strbuf_cstr(&text), text.len, err);
        st = document ? STATUS_OK : STATUS_INVALID;
    }
    if (!st) {
        struct json_ref root = json_ref_root(document, "verdict");

        st = verdict_decode(&subject->verdict, &root, err);
    }
    subject->has_verdict = !st;
    json_free(document);
    strbuf_release(&text);
    return st;
}

/* The plan as it is read best; as it was written where it is no JSON. */
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

static enum status read_candidate(const struct scene *scene, struct subject *subject,
                                  struct error *err)
{
    enum status st =
        scene->source.text(scene->source.data, subject->candidate_id, &subject->reply, err);

    /* A reply without a candidate is shown as it is; its verdict says what is missing. */
    if (!st && reply_parse(strbuf_cstr(&subject->reply), scene->session->language,
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

/* Hold the texts of an attempt, reading them only when they are others than before. */
static void hold(struct scene *scene, struct subject *subject, unsigned number)
{
    const struct attempt *attempt = session_attempt(scene->session, number);
    struct error err = {0};
    enum status st = STATUS_OK;

    if (attempt ? is_held(subject, attempt) : subject->attempt == 0)
        return;
    subject_release(subject);
    scene->generation++;
    if (!attempt)
        return;
    subject->attempt = number;
    memcpy(subject->candidate_id, attempt->candidate, HISTORY_ID_SIZE);
    memcpy(subject->verdict_id, attempt->verdict, HISTORY_ID_SIZE);
    if (*subject->candidate_id)
        st = read_candidate(scene, subject, &err);
    if (!st && *subject->verdict_id)
        st = read_verdict(scene, subject, &err);
    if (st)
        snprintf(subject->problem, sizeof(subject->problem), "%s", err.text);
}

static void release_step_text(struct scene *scene)
{
    strbuf_release(&scene->step_text);
    recommendation_release(&scene->advice);
    scene->has_advice = false;
}

static void hold_step_text(struct scene *scene)
{
    const struct step *step = session_step(scene->session, scene->step);
    const char *id = step ? session_step_text(step) : "";
    struct error err = {0};

    if (strcmp(scene->step_text_id, id) == 0)
        return;
    release_step_text(scene);
    snprintf(scene->step_text_id, sizeof(scene->step_text_id), "%s", id);
    if (*id && scene->source.text(scene->source.data, id, &scene->step_text, &err))
        strbuf_adds(&scene->step_text, err.text);
    if (step && step->kind == STEP_RECOMMENDATION)
        scene->has_advice =
            !recommendation_parse(&scene->advice, strbuf_cstr(&scene->step_text), NULL);
}

static void hold_reference(struct scene *scene)
{
    const char *id = scene->session->reference;
    struct error err = {0};

    if (*id && !scene->reference.len &&
        scene->source.text(scene->source.data, id, &scene->reference, &err))
        strbuf_adds(&scene->reference, err.text);
}

static void count_changes(struct scene *scene)
{
    struct diff diff = {0};

    scene->added = scene->removed = 0;
    if (!scene->shown.attempt || !scene->best.attempt)
        return;
    diff_lines(subject_source(&scene->best), subject_source(&scene->shown), &diff);
    scene->added = diff.added;
    scene->removed = diff.removed;
    diff_release(&diff);
}

static void find_advice(struct scene *scene)
{
    const struct session *session = scene->session;
    size_t i = session->steps.count;

    while (i > 0 && (session->steps.items[i - 1].kind != STEP_RECOMMENDATION ||
                     session->steps.items[i - 1].attempt != scene->attempt))
        i--;
    scene->advised_by = (unsigned)i;
}

static void fetch(struct scene *scene)
{
    const struct attempt *attempt = session_attempt(scene->session, scene->attempt);
    unsigned generation = scene->generation;

    hold(scene, &scene->shown, scene->attempt);
    hold(scene, &scene->parent, attempt ? attempt->parent : 0);
    hold(scene, &scene->best, scene->session->now.best);
    hold(scene, &scene->chosen, scene->other);
    hold_step_text(scene);
    hold_reference(scene);
    find_advice(scene);
    if (scene->generation != generation)
        count_changes(scene);
}

/* The last step that was not taken back; 0: none. */
static unsigned last_step(const struct session *session)
{
    unsigned number = (unsigned)session->steps.count;

    while (number > 0 && session_step(session, number)->is_undone)
        number--;
    return number;
}

void scene_look_at_step(struct scene *scene, unsigned number)
{
    const struct step *step = session_step(scene->session, number);

    if (!step)
        return;
    scene->step = number;
    scene->is_elsewhere = number != last_step(scene->session);
    if (step->attempt)
        scene->attempt = step->attempt;
    fetch(scene);
}

/* A prompt only names the attempt that it sets out from. */
static bool is_about(const struct step *step, unsigned attempt)
{
    return step->attempt == attempt && step->kind != STEP_PROMPT;
}

void scene_look_at_attempt(struct scene *scene, unsigned number)
{
    const struct session *session = scene->session;

    if (!session_attempt(session, number))
        return;
    scene->is_elsewhere = session_attempt(session, number) != session_subject(session);
    for (size_t i = 0; i < session->steps.count; i++)
        if (is_about(&session->steps.items[i], number))
            scene->step = session->steps.items[i].number;
    scene->attempt = number;
    fetch(scene);
}

void scene_compare_with(struct scene *scene, unsigned number)
{
    const struct attempt *last = session_subject(scene->session);

    scene->other = number;
    if (last && number == scene->attempt)
        scene_look_at_attempt(scene, last->number);
    fetch(scene);
}

/* Ask about the attempt in view, unless something is in the way. */
static void inspect(struct scene *scene, enum inspection_kind kind, const char *what,
                    const char *refused)
{
    const struct session *session = scene->session;
    const struct subject *shown = &scene->shown;
    struct strbuf problem = {0};
    struct error err = {0};

    if (!scene->inspection.options.loop)
        refused = "no judge can be asked here";
    if (!refused && !shown->candidate.source)
        refused = "there is no kernel to look at";
    if (!refused && scene->source.text(scene->source.data, session->problem, &problem, &err))
        refused = err.text;
    inspection_begin(&scene->inspection, kind, what,
                     &(struct inspection_subject){.id = shown->candidate_id,
                                                  .reply = strbuf_cstr(&shown->reply),
                                                  .language = session->language,
                                                  .tuned = shown->verdict.tuning.chosen,
                                                  .problem = strbuf_cstr(&problem),
                                                  .device = session->device,
                                                  .refused = refused});
    strbuf_release(&problem);
}

void scene_list(struct scene *scene, const char *form)
{
    inspect(scene, INSPECTION_LISTING, form, NULL);
}

void scene_sanitize(struct scene *scene, const char *tool)
{
    bool is_timing = scene->live && scene->live->busy == BUSY_EVALUATING;
    const char *refused = NULL;

    if (!sanitizer_is_tool(tool))
        refused = "there is memcheck, racecheck, initcheck and synccheck";
    else if (is_timing)
        refused = "it would disturb the timing that is under way: ask again after it";
    inspect(scene, INSPECTION_SANITIZING, tool, refused);
}

void scene_refresh(struct scene *scene)
{
    const struct attempt *last = session_subject(scene->session);

    if (!scene->is_elsewhere) {
        scene->step = last_step(scene->session);
        scene->attempt = last ? last->number : 0;
    }
    fetch(scene);
}

void scene_release(struct scene *scene)
{
    subject_release(&scene->shown);
    subject_release(&scene->parent);
    subject_release(&scene->best);
    subject_release(&scene->chosen);
    release_step_text(scene);
    strbuf_release(&scene->reference);
    inspection_release(&scene->inspection);
    *scene = (struct scene){0};
}

const struct step *scene_waiting(const struct scene *scene)
{
    const struct step *step = session_pending(scene->session);

    return step && engine_asks(scene->session) ? step : NULL;
}
