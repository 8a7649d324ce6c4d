#include "tui/scene.h"

#include <stdio.h>
#include <string.h>

#include "core/agent/reply.h"

static void subject_release(struct subject *subject)
{
    strbuf_release(&subject->reply);
    candidate_release(&subject->candidate);
    verdict_release(&subject->verdict);
    *subject = (struct subject){0};
}

const char *subject_source(const struct subject *subject)
{
    return subject->candidate.source ? subject->candidate.source : strbuf_cstr(&subject->reply);
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

static enum status read_candidate(const struct scene *scene, struct subject *subject,
                                  struct error *err)
{
    enum status st =
        scene->source.text(scene->source.data, subject->candidate_id, &subject->reply, err);

    /* A reply without a candidate is shown as it is; its verdict says what is missing. */
    if (!st && reply_parse(strbuf_cstr(&subject->reply), scene->session->language,
                           &subject->candidate, NULL))
        subject->candidate = (struct candidate){0};
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

static void hold_step_text(struct scene *scene)
{
    const struct step *step = session_step(scene->session, scene->step);
    const char *id = step ? session_step_text(step) : "";
    struct error err = {0};

    if (strcmp(scene->step_text_id, id) == 0)
        return;
    strbuf_release(&scene->step_text);
    snprintf(scene->step_text_id, sizeof(scene->step_text_id), "%s", id);
    if (*id && scene->source.text(scene->source.data, id, &scene->step_text, &err))
        strbuf_adds(&scene->step_text, err.text);
}

static void fetch(struct scene *scene)
{
    const struct attempt *attempt = session_attempt(scene->session, scene->attempt);

    hold(scene, &scene->shown, scene->attempt);
    hold(scene, &scene->parent, attempt ? attempt->parent : 0);
    hold(scene, &scene->best, scene->session->now.best);
    hold(scene, &scene->chosen, scene->other);
    hold_step_text(scene);
}

void scene_look_at_step(struct scene *scene, unsigned number)
{
    const struct step *step = session_step(scene->session, number);

    if (!step)
        return;
    scene->step = number;
    scene->is_elsewhere = number < scene->session->steps.count;
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
    scene->is_elsewhere = number < session->attempts.count;
    for (size_t i = 0; i < session->steps.count; i++)
        if (is_about(&session->steps.items[i], number))
            scene->step = session->steps.items[i].number;
    scene->attempt = number;
    fetch(scene);
}

void scene_compare_with(struct scene *scene, unsigned number)
{
    scene->other = number;
    fetch(scene);
}

void scene_refresh(struct scene *scene)
{
    const struct attempt *last = session_last_attempt(scene->session);

    if (!scene->is_elsewhere) {
        scene->step = (unsigned)scene->session->steps.count;
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
    strbuf_release(&scene->step_text);
    *scene = (struct scene){0};
}

const struct step *scene_waiting(const struct scene *scene)
{
    const struct step *step = session_pending(scene->session);

    return step && scene->session->gate.modes[step->kind] == GATE_ASK ? step : NULL;
}
