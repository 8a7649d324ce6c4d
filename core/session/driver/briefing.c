#include "core/session/driver/briefing.h"

#include <stdlib.h>
#include <string.h>

#include "core/agent/reply/reply.h"
#include "core/base/vec.h"
#include "core/model/language.h"
#include "core/session/state/notes.h"
#include "core/session/state/scale.h"
#include "core/session/state/scaled_verdict.h"
#include "core/session/store/diff.h"

/* True if the attempt was written before the session changed to its present language. */
static bool is_foreign(const struct session *session, const struct attempt *attempt)
{
    return session->language && attempt->language &&
           strcmp(attempt->language, session->language) != 0;
}

/* The fastest correct attempt in the session's present language, kept or not; NULL for none. */
static const struct attempt *best_in_language(const struct session *session)
{
    const struct attempt *best = session_attempt(session, session->now.best);

    if (!best || !is_foreign(session, best))
        return best;
    best = NULL;
    for (size_t i = 0; i < session->attempts.count; i++) {
        const struct attempt *attempt = &session->attempts.items[i];

        if (!attempt->is_undone && attempt->outcome == OUTCOME_CORRECT &&
            !is_foreign(session, attempt) && (!best || scale_is_faster(attempt, best)))
            best = attempt;
    }
    return best;
}

/*
 * An analysis is about the best attempt. A prompt is about the current attempt if it failed, else
 * about the best one; a retried prompt is about the same attempt as before. Only an analysis may be
 * about an attempt in another language than the present one.
 */
const struct attempt *briefing_subject(enum agent_task task, const struct session *session)
{
    const struct attempt *last = session_subject(session);
    const struct attempt *best = session_attempt(session, session->now.best);
    const struct attempt *subject = best ? best : last;
    bool is_broken = last && last->is_evaluated && last->outcome != OUTCOME_CORRECT;

    if (task != TASK_GENERATE)
        return subject;
    if (session->now.is_retry)
        subject = session_attempt(session, session->now.retry_from);
    else if (is_broken)
        subject = last;
    if (subject && is_foreign(session, subject))
        subject = best_in_language(session);
    return subject;
}

static enum status load_verdict(struct briefing *b, const struct attempt *subject,
                                const struct session *session, struct history *history,
                                struct error *err)
{
    struct strbuf text = {0};
    struct json *json = NULL;
    enum status st = history_get(history, subject->verdict, &text, err);

    if (!st) {
        json = json_parse(strbuf_cstr(&text), text.len, err);
        st = json ? STATUS_OK : STATUS_INVALID;
    }
    if (!st) {
        struct json_ref root = json_ref_root(json, "verdict");

        st = verdict_decode(&b->verdict, &root, err);
    }
    if (!st) {
        scaled_verdict_make(session, subject, &b->verdict);
        if (session->roles.without_profile)
            profile_release(&b->verdict.profile);
        b->brief.verdict = &b->verdict;
    }
    json_free(json);
    strbuf_release(&text);
    return st;
}

enum { EDIT_CONTEXT = 2 };

/* If the subject is the engineer's edit, show the agent its difference from the agent's version. */
static enum status load_edit(struct briefing *b, const struct attempt *subject,
                             const struct session *session, struct history *history,
                             struct error *err)
{
    const struct attempt *parent = session_attempt(session, subject->parent);
    struct strbuf before = {0};
    struct diff diff = {0};
    enum status st;

    if (subject->origin != ORIGIN_ENGINEER || !parent)
        return STATUS_OK;
    st = history_get(history, parent->candidate, &before, err);
    if (!st) {
        diff_lines(strbuf_cstr(&before), b->brief.previous_reply, &diff);
        diff_print(&diff, EDIT_CONTEXT, &b->edit);
        b->brief.edit = b->edit.len ? strbuf_cstr(&b->edit) : NULL;
    }
    diff_release(&diff);
    strbuf_release(&before);
    return st;
}

static enum status load_subject(struct briefing *b, const struct attempt *subject,
                                const struct session *session, struct history *history,
                                struct error *err)
{
    enum status st = history_get(history, subject->candidate, &b->previous_reply, err);

    if (st)
        return st;
    b->brief.previous_reply = strbuf_cstr(&b->previous_reply);
    if (!reply_parse(b->brief.previous_reply, subject->language, &b->previous, NULL))
        b->brief.previous = &b->previous;
    st = load_edit(b, subject, session, history, err);
    return !st && subject->verdict[0] ? load_verdict(b, subject, session, history, err) : st;
}

static enum status load_advice(struct briefing *b, const struct step *advice,
                               struct history *history, struct error *err)
{
    struct strbuf text = {0};
    enum status st = history_get(history, session_step_text(advice), &text, err);

    if (!st && !recommendation_parse(&b->recommendation, strbuf_cstr(&text), NULL))
        b->brief.recommendation = &b->recommendation;
    strbuf_release(&text);
    return st;
}

static enum status load_device(struct briefing *b, const struct session *session,
                               struct history *history, struct error *err)
{
    struct strbuf text = {0};
    enum status st = history_get(history, session->device_description, &text, err);

    if (!st)
        st = device_description_parse(&b->device_description, strbuf_cstr(&text), text.len, err);
    b->brief.device = &b->device_description.device;
    b->brief.roofs = &b->device_description.roofs;
    strbuf_release(&text);
    return st;
}

/* Give the agent the best kernel in the earlier language, as a reference for the present one. */
static enum status load_foreign(struct briefing *b, const struct attempt *best,
                                struct history *history, struct error *err)
{
    struct candidate candidate = {0};
    struct strbuf reply = {0};
    enum status st = history_get(history, best->candidate, &reply, err);

    if (!st && !reply_parse(strbuf_cstr(&reply), best->language, &candidate, NULL)) {
        strbuf_adds(&b->reference, candidate.source);
        b->brief.reference = strbuf_cstr(&b->reference);
        b->brief.reference_name = language_of(candidate.language)->source_file;
    }
    candidate_release(&candidate);
    strbuf_release(&reply);
    return st;
}

static enum status load_reference(struct briefing *b, const struct session *session,
                                  struct history *history, struct error *err)
{
    const struct attempt *best = session_attempt(session, session->now.best);
    enum status st;

    if (best && is_foreign(session, best))
        return load_foreign(b, best, history, err);
    if (!session->reference[0])
        return STATUS_OK;
    st = history_get(history, session->reference, &b->reference, err);
    b->brief.reference = strbuf_cstr(&b->reference);
    b->brief.reference_name = session->reference_name;
    if (session->reference_result.outcome != OUTCOME_NONE) {
        b->brief.reference_verdict = session->reference_result.detail;
        b->brief.reference_is_correct = session->reference_result.outcome == OUTCOME_CORRECT;
    }
    return st;
}

static enum status load_attachment(struct briefing *b, struct brief_attachment attached,
                                   const char *blob, struct history *history, struct error *err)
{
    struct strbuf bytes = {0};
    enum status st = history_get(history, blob, &bytes, err);

    attached.bytes = strbuf_cstr(&bytes);
    attached.len = bytes.len;
    vec_push(&b->attachments, attached);
    vec_push(&b->bytes, bytes);
    return st;
}

/* Load the picture of the subject, and the attachments that no analysis has shown yet. */
static enum status load_attachments(struct briefing *b, const struct attempt *subject,
                                    const struct session *session, struct history *history,
                                    struct error *err)
{
    enum status st = STATUS_OK;

    if (subject && subject->picture[0])
        st = load_attachment(
            b, (struct brief_attachment){.name = subject->picture_name, .is_of_candidate = true},
            subject->picture, history, err);
    for (size_t i = session->now.first_attachment; !st && i < session->attachments.count; i++) {
        const struct session_attachment *attached = &session->attachments.items[i];

        st = load_attachment(b, (struct brief_attachment){.name = attached->name}, attached->blob,
                             history, err);
    }
    b->brief.attachments = b->attachments.items;
    b->brief.attachment_count = b->attachments.count;
    return st;
}

/*
 * The change that an attempt tried: the recommendation that it follows or, in a session without an
 * analyst, its title; NULL for none.
 */
static const char *change_of(const struct session *session, const struct attempt *attempt)
{
    const struct step *advice = session_step(session, attempt->recommendation);

    if (!advice && attempt->parent && !session_analyst(session))
        return attempt->title;
    return advice ? advice->change : NULL;
}

/* List the changes that were tried, each with its result. */
static void list_records(struct briefing *b, const struct session *session)
{
    for (size_t i = 0; i < session->attempts.count; i++) {
        const struct attempt *a = &session->attempts.items[i];
        const struct step *advice = session_step(session, a->recommendation);
        struct brief_record record = {.gained = a->gain, .outcome = a->outcome};

        record.change = change_of(session, a);
        record.promised = advice ? advice->gain : 0;
        if (!record.change || !a->is_evaluated)
            continue;
        vec_push(&b->records, record);
    }
    b->brief.records = b->records.items;
    b->brief.record_count = b->records.count;
}

static void list_refused(struct briefing *b, const struct session *session)
{
    for (size_t i = 0; i < session->steps.count; i++) {
        const struct step *step = &session->steps.items[i];

        if (step->kind == STEP_RECOMMENDATION && step->change && !step->is_undone &&
            (step->decision == DECISION_VETOED || step->decision == DECISION_RETRIED))
            vec_push(&b->refused, step->change);
    }
    b->brief.refused = b->refused.items;
    b->brief.refused_count = b->refused.count;
}

enum status briefing_make(struct briefing *b, enum agent_task task, const struct session *session,
                          struct history *history, struct error *err)
{
    const struct attempt *subject = briefing_subject(task, session);
    const struct step *advice = session_step(session, session->now.recommendation);
    enum status st = load_device(b, session, history, err);

    b->brief.language = session->language;
    b->brief.attempt = (unsigned)session->attempts.count + 1;
    b->brief.is_unadvised = !session_analyst(session);
    b->notes = notes_texts(session, &b->brief.note_count);
    b->brief.notes = b->notes;
    list_records(b, session);
    list_refused(b, session);
    if (!st && subject)
        st = load_subject(b, subject, session, history, err);
    if (!st && advice && subject && task == TASK_GENERATE)
        st = load_advice(b, advice, history, err);
    if (!st && task == TASK_ANALYSE)
        st = load_attachments(b, subject, session, history, err);
    return st ? st : load_reference(b, session, history, err);
}

void briefing_release(struct briefing *b)
{
    device_description_release(&b->device_description);
    candidate_release(&b->previous);
    strbuf_release(&b->previous_reply);
    strbuf_release(&b->edit);
    strbuf_release(&b->reference);
    verdict_release(&b->verdict);
    recommendation_release(&b->recommendation);
    vec_release(&b->records);
    vec_release(&b->refused);
    for (size_t i = 0; i < b->bytes.count; i++)
        strbuf_release(&b->bytes.items[i]);
    vec_release(&b->bytes);
    vec_release(&b->attachments);
    free(b->notes);
    *b = (struct briefing){0};
}
