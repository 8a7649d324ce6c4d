#include "core/session/state/fold.h"

#include <stdio.h>
#include <string.h>

#include "core/base/array.h"
#include "core/session/state/changes.h"
#include "core/session/state/event_check.h"
#include "core/session/state/notes.h"
#include "core/session/state/round.h"
#include "core/session/state/scale.h"
#include "core/session/state/undo.h"

/* The stage at which a kind of step waits, and the stages to which its decisions lead. */
static const struct {
    enum stage gate, accepted, edited;
} flows[STEP_KINDS] = {
    [STEP_PROMPT] = {STAGE_PROMPT_GATE, STAGE_GENERATE, STAGE_GENERATE},
    [STEP_CANDIDATE] = {STAGE_CANDIDATE_GATE, STAGE_EVALUATE, STAGE_EVALUATE},
    [STEP_KEEP] = {STAGE_KEEP_GATE, STAGE_COMMIT, STAGE_EVALUATE},
    [STEP_RECOMMENDATION] = {STAGE_RECOMMEND_GATE, STAGE_ROUND_END, STAGE_ROUND_END},
};

/* An attempt that an event changes; NULL if there is none with that number. */
static struct attempt *attempt_at(struct session *session, unsigned number)
{
    struct attempt *attempt = number > 0 && number <= session->attempts.count
                                  ? &session->attempts.items[number - 1]
                                  : NULL;

    if (attempt)
        changes_note(session, attempt);
    return attempt;
}

/* One function for each type of event.  The event was checked, so ids and times fit. */
static void set(char *member, size_t size, const char *text)
{
    snprintf(member, size, "%s", text ? text : "");
}

static const char *keep_name(void *session, const char *name)
{
    return session_keep(session, name);
}

static void apply_opened(struct session *session, const union event_data *data)
{
    const struct session_opened *opened = &data->session_opened;

    session->id = session_keep(session, opened->session);
    session->problem_name = session_keep(session, opened->problem);
    session->agent = session_keep(session, opened->agent);
    session->roles = roles_copy(&opened->roles, keep_name, session);
    session->device = session_keep(session, opened->device);
    session->language = session_keep(session, opened->language);
    session->repository = session_keep(session, opened->repository);
    session->forked_from = session_keep(session, opened->forked_from);
    session->forked_at = opened->forked_at;
    set(session->reference, OBJECT_ID_SIZE, opened->reference);
    session->reference_name = session_keep(session, opened->reference_name);
    set(session->reference_reply, OBJECT_ID_SIZE, opened->reference_reply);
    session->reference_language = session_keep(session, opened->reference_language);
    session->picture = session_keep(session, opened->picture);
    session->limits = opened->limits;
    session->gate = opened->policy;
    set(session->opened_at, CLOCK_STAMP_SIZE, session->at);
}

static void apply_loaded(struct session *session, const union event_data *data)
{
    set(session->problem, OBJECT_ID_SIZE, data->problem_loaded.text);
    session->now.stage = STAGE_PROMPT;
}

static void apply_described(struct session *session, const union event_data *data)
{
    set(session->device_description, OBJECT_ID_SIZE, data->device_described.text);
}

static void apply_reference(struct session *session, const union event_data *data)
{
    const struct reference_judged *judged = &data->reference_judged;

    session->reference_result = (struct reference_result){
        .is_judged = true,
        .outcome = judged->outcome,
        .detail = session_keep(session, judged->detail),
        .median_us = judged->is_timed ? judged->median_us : 0,
    };
    set(session->reference_result.verdict, OBJECT_ID_SIZE, judged->verdict);
}

static void apply_proposed(struct session *session, const union event_data *data)
{
    const struct step_proposed *proposed = &data->step_proposed;
    const struct step *last = session_latest_step(session);
    struct step step = {
        .number = proposed->step,
        .kind = proposed->kind,
        .attempt = proposed->attempt,
        .title = session_keep(session, proposed->title),
        .change = session_keep(session, proposed->change),
        .tags = session_keep(session, proposed->tags),
        .gain = proposed->gain,
        .before = last ? last->number : 0,
    };

    set(step.text, OBJECT_ID_SIZE, proposed->text);
    set(step.at, CLOCK_STAMP_SIZE, session->at);
    if (!proposed->is_by_hand && (step.kind == STEP_CANDIDATE || step.kind == STEP_RECOMMENDATION))
        step.effort = session->arrived[0].effort;
    if (proposed->is_by_hand)
        round_add_by_hand(session, &step, proposed->edits);
    else if (step.kind == STEP_CANDIDATE)
        round_add_attempt(session, step.text, step.title);
    if (step.kind == STEP_KEEP)
        attempt_at(session, step.attempt)->is_chosen = true;
    if (step.kind == STEP_PROMPT)
        session->now.first_note = session->notes.count;
    if (step.kind == STEP_RECOMMENDATION)
        session->now.reply_count = 0;
    changes_push(session, steps, step);
    session->now.stage = flows[step.kind].gate;
}

static void apply_edit(struct session *session, struct step *step,
                       const struct step_decided *decided)
{
    set(step->edited, OBJECT_ID_SIZE, decided->text);
    if (step->kind == STEP_RECOMMENDATION) {
        step->change = session_keep(session, decided->change);
        step->gain = decided->gain;
    }
    session->now.stage = flows[step->kind].edited;
    if (step->kind == STEP_PROMPT)
        round_begin(session);
    if (step->kind == STEP_CANDIDATE || step->kind == STEP_KEEP)
        round_add_edit(session, step);
}

static void apply_veto(struct session *session, const struct step *step)
{
    notes_add_reason(session, step);
    session->now.stage = STAGE_ROUND_END;
    if (step->kind == STEP_CANDIDATE)
        round_continue(session);
    else if (step->kind == STEP_KEEP)
        round_end(session, false);
}

static void apply_retry(struct session *session, const struct step *step)
{
    notes_add_reason(session, step);
    session->now.stage = STAGE_ROUND_END;
    if (step->kind == STEP_RECOMMENDATION)
        session->now.analysed = 0;
    else if (step->kind != STEP_PROMPT)
        round_retry(session);
}

static void apply_accept(struct session *session, const struct step *step)
{
    session->now.stage = flows[step->kind].accepted;
    if (step->kind == STEP_PROMPT)
        round_begin(session);
}

static void apply_decided(struct session *session, const union event_data *data)
{
    const struct step_decided *decided = &data->step_decided;
    struct step *step = &session->steps.items[session_latest_step(session)->number - 1];

    changes_note(session, step);
    if (decided->by == DECIDER_ENGINEER)
        undo_remember(session, step);
    session->now.is_held = false;
    session->run.steps++;
    if (step->kind == STEP_CANDIDATE) /* it may have been judged before an undo */
        attempt_at(session, step->attempt)->is_evaluated = false;
    step->decision = decided->decision;
    step->decider = decided->by;
    step->reason = session_keep(session, decided->reason);
    if (decided->decision == DECISION_EDITED)
        apply_edit(session, step, decided);
    else if (decided->decision == DECISION_VETOED)
        apply_veto(session, step);
    else if (decided->decision == DECISION_RETRIED)
        apply_retry(session, step);
    else
        apply_accept(session, step);
    if (step->kind == STEP_RECOMMENDATION &&
        (step->decision == DECISION_ACCEPTED || step->decision == DECISION_EDITED))
        session->now.recommendation = step->number;
}

static void apply_undone(struct session *session, const union event_data *data)
{
    (void)data;
    undo_go_back(session);
    session->now.is_held = true;
    session->run.is_on = false;
}

static void apply_redone(struct session *session, const union event_data *data)
{
    (void)data;
    undo_go_forward(session);
}

/*
 * The record of an agent's use. When all records are taken, a further agent is counted in the last
 * one.
 */
static struct agent_use *use_of(struct session *session, const char *agent)
{
    size_t i = 0;

    while (i < session->use_count && strcmp(session->uses[i].agent, agent) != 0)
        i++;
    if (i == COUNT(session->uses))
        return &session->uses[i - 1];
    if (i == session->use_count)
        session->uses[session->use_count++] = (struct agent_use){.agent = agent};
    return &session->uses[i];
}

static void add_agent_usage(struct agent_use *use, const struct model_reply *reply)
{
    bool is_free = reply->has_cost && reply->cost_usd == 0;

    use->replies++;
    use->prompt_tokens += reply->prompt_tokens;
    use->reply_tokens += reply->reply_tokens;
    use->latency_us += reply->latency_us;
    use->usd += reply->cost_usd;
    use->unknown_usd += !reply->has_cost;
    use->unknown_tokens += !reply->has_tokens && !is_free;
}

static void add_usage(struct session *session, const struct model_reply *reply)
{
    bool is_free = reply->has_cost && reply->cost_usd == 0;

    if (session->events < session->forked_at)
        return;
    session->replies++;
    session->has_tokens |= reply->has_tokens;
    session->prompt_tokens += reply->prompt_tokens;
    session->reply_tokens += reply->reply_tokens;
    session->used[RESOURCE_USD] += reply->cost_usd;
    session->used[RESOURCE_TOKENS] += (double)(reply->prompt_tokens + reply->reply_tokens);
    session->used[RESOURCE_MINUTES] += (double)reply->latency_us / 60e6;
    session->unknown[RESOURCE_USD] += !reply->has_cost;
    session->unknown[RESOURCE_TOKENS] += !reply->has_tokens && !is_free;
}

static void apply_reply(struct session *session, const union event_data *data)
{
    const struct model_reply *reply = &data->model_reply;
    const char *usual =
        session->now.stage == STAGE_GENERATE ? session->agent : session_analyst(session);
    const char *agent = session_keep(session, reply->agent ? reply->agent
                                              : usual      ? usual
                                                           : session->agent);
    const struct effort effort = {.agent = agent,
                                  .latency_us = reply->latency_us,
                                  .has_tokens = reply->has_tokens,
                                  .has_cost = reply->has_cost,
                                  .prompt_tokens = reply->prompt_tokens,
                                  .reply_tokens = reply->reply_tokens,
                                  .cost_usd = reply->cost_usd};

    add_usage(session, reply);
    if (session->events >= session->forked_at)
        add_agent_usage(use_of(session, agent), reply);
    if (session->now.stage == STAGE_GENERATE) {
        round_take_reply(session, reply->text, &effort);
        return;
    }
    set(session->arrived[0].text, OBJECT_ID_SIZE, reply->text);
    session->arrived[0].effort = effort;
    session->now.reply_count = 1;
    session->now.analysed = session->now.subject;
    session->now.first_attachment = session->attachments.count;
    session->now.stage = STAGE_RECOMMEND;
}

static void apply_cancelled(struct session *session, const union event_data *data)
{
    session->used[RESOURCE_MINUTES] += (double)data->model_cancelled.latency_us / 60e6;
}

static void apply_baselines(struct session *session, const union event_data *data)
{
    const struct baselines_timed *timed = &data->baselines_timed;
    struct attempt *attempt = attempt_at(session, timed->attempt);

    set(attempt->verdict, OBJECT_ID_SIZE, timed->verdict);
    scale_count_baseline(session, attempt, timed);
}

/* The bound's time over the attempt's on the scale; 0 if unknown. */
static double bound_fraction(const struct attempt *attempt,
                             const struct evaluation_finished *finished)
{
    double us = finished->bound_fraction * finished->median_us;

    return attempt->time.median_us > 0 ? us / attempt->time.median_us : 0;
}

static void apply_finished(struct session *session, const union event_data *data)
{
    const struct evaluation_finished *finished = &data->evaluation_finished;
    struct attempt *attempt = attempt_at(session, finished->attempt);

    if (!attempt)
        attempt =
            round_add_attempt(session, session->arrived[0].text, outcome_name(finished->outcome));
    attempt->is_evaluated = true;
    attempt->outcome = finished->outcome;
    set(attempt->verdict, OBJECT_ID_SIZE, finished->verdict);
    attempt->tuned = session_keep(session, finished->tuned);
    attempt->wall_us = finished->wall_us;
    scale_place(session, attempt, finished);
    attempt->bound_fraction = bound_fraction(attempt, finished);
    attempt->detail = session_keep(session, finished->detail);
    if (session->events >= session->forked_at)
        session->used[RESOURCE_MINUTES] += (double)finished->wall_us / 60e6;
    session->run.has_failed |= attempt->outcome != OUTCOME_CORRECT;
    session->run.was_slower |= attempt->gain > 0 && attempt->gain < 1;
    session->now.has_correct |= attempt->outcome == OUTCOME_CORRECT;
    round_continue(session);
}

static void apply_kept(struct session *session, const union event_data *data)
{
    struct attempt *attempt = attempt_at(session, data->candidate_kept.attempt);
    const struct attempt *tip = session_tip(session);
    const struct attempt *best = session_attempt(session, session->now.best);
    bool has_gained = !best || scale_is_faster(attempt, best);

    attempt->kept_after = tip ? tip->number : 0;
    attempt->is_kept = true;
    set(attempt->commit, OBJECT_ID_SIZE, data->candidate_kept.commit);
    if (has_gained)
        session->now.best = attempt->number;
    round_end(session, has_gained);
}

static void apply_tagged(struct session *session, const union event_data *data)
{
    const struct candidate_tagged *tagged = &data->candidate_tagged;
    struct attempt *attempt = attempt_at(session, tagged->attempt);

    attempt->tag = tagged->tag[0] ? session_keep(session, tagged->tag) : NULL;
}

static void apply_note(struct session *session, const union event_data *data)
{
    notes_add(session, data->note.text);
}

static void apply_attachment(struct session *session, const union event_data *data)
{
    const struct attachment *attachment = &data->attachment;
    struct session_attachment attached = {.name = session_keep(session, attachment->name),
                                          .media_type =
                                              session_keep(session, attachment->media_type)};

    set(attached.blob, OBJECT_ID_SIZE, attachment->text);
    changes_push(session, attachments, attached);
}

static void apply_picture(struct session *session, const union event_data *data)
{
    const struct picture_taken *taken = &data->picture_taken;
    struct attempt *attempt = attempt_at(session, taken->attempt);

    attempt->is_pictured = true;
    if (!taken->text)
        return;
    attempt->picture_name = session_keep(session, taken->name ? taken->name : "picture.png");
    set(attempt->picture, OBJECT_ID_SIZE, taken->text);
}

static void apply_budget(struct session *session, const union event_data *data)
{
    session->is_warned[data->budget.resource] = true;
}

static void apply_policy(struct session *session, const union event_data *data)
{
    session->gate.modes[data->policy_changed.kind] = data->policy_changed.mode;
}

static void apply_language(struct session *session, const union event_data *data)
{
    session->language = session_keep(session, data->language_changed.language);
}

static void apply_run(struct session *session, const union event_data *data)
{
    session->run = (struct run){.is_on = true,
                                .limits = data->run_started,
                                .from_usd = session->used[RESOURCE_USD],
                                .from_unknown = session->unknown[RESOURCE_USD]};
}

static void apply_run_ended(struct session *session, const union event_data *data)
{
    (void)data;
    session->run.is_on = false;
    session->now.is_held = true;
}

static void apply_closed(struct session *session, const union event_data *data)
{
    session->closing = data->session_closed.cause;
    session->closed_because = session_keep(session, data->session_closed.reason);
    session->now.stage = STAGE_CLOSED;
}

static void (*const changes[])(struct session *session, const union event_data *data) = {
    [EVENT_SESSION_OPENED] = apply_opened,
    [EVENT_PROBLEM_LOADED] = apply_loaded,
    [EVENT_DEVICE_DESCRIBED] = apply_described,
    [EVENT_STEP_PROPOSED] = apply_proposed,
    [EVENT_STEP_DECIDED] = apply_decided,
    [EVENT_STEP_UNDONE] = apply_undone,
    [EVENT_STEP_REDONE] = apply_redone,
    [EVENT_MODEL_REQUEST] = NULL,
    [EVENT_MODEL_REPLY] = apply_reply,
    [EVENT_MODEL_CANCELLED] = apply_cancelled,
    [EVENT_EVALUATION_STARTED] = NULL,
    [EVENT_EVALUATION_FINISHED] = apply_finished,
    [EVENT_BASELINES_TIMED] = apply_baselines,
    [EVENT_CANDIDATE_KEPT] = apply_kept,
    [EVENT_NOTE] = apply_note,
    [EVENT_CANDIDATE_TAGGED] = apply_tagged,
    [EVENT_ATTACHMENT] = apply_attachment,
    [EVENT_REFERENCE_JUDGED] = apply_reference,
    [EVENT_PICTURE_TAKEN] = apply_picture,
    [EVENT_RUN_STARTED] = apply_run,
    [EVENT_RUN_ENDED] = apply_run_ended,
    [EVENT_BUDGET] = apply_budget,
    [EVENT_POLICY_CHANGED] = apply_policy,
    [EVENT_LANGUAGE_CHANGED] = apply_language,
    [EVENT_SESSION_CLOSED] = apply_closed,
};

enum status fold_check(const struct session *session, const struct event *event, struct error *err)
{
    union event_data data;

    return event_check_read(session, event, &data, err);
}

enum status fold_apply(struct session *session, const struct event *event, struct error *err)
{
    union event_data data;
    enum status st = event_check_read(session, event, &data, err);

    if (st)
        return st;
    set(session->at, CLOCK_STAMP_SIZE, event_time(event));
    if (changes[event->type])
        changes[event->type](session, &data);
    session->events++;
    return STATUS_OK;
}
