#include "core/session/state/event_check.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/agent/brief.h"
#include "core/session/state/round.h"

#define AT(stage) (1U << (stage))
#define AT_OPEN   (AT(STAGE_CLOSED) - 1) /* all stages but STAGE_CLOSED */

/* The stages at which a kind of step may be proposed. */
static const unsigned proposed_at[STEP_KINDS] = {
    [STEP_PROMPT] = AT(STAGE_PROMPT) | AT(STAGE_ROUND_END),
    [STEP_CANDIDATE] = AT(STAGE_CANDIDATE),
    [STEP_KEEP] = AT(STAGE_KEEP),
    [STEP_RECOMMENDATION] = AT(STAGE_RECOMMEND),
};

/* The event that each stage expects, for error messages. */
static const char *const expected[] = {
    [STAGE_OPENING] = "problem.loaded",
    [STAGE_PROMPT] = "the proposal of a prompt",
    [STAGE_PROMPT_GATE] = "a decision on the prompt",
    [STAGE_GENERATE] = "the agent's reply",
    [STAGE_CANDIDATE] = "the proposal of a candidate",
    [STAGE_CANDIDATE_GATE] = "a decision on the candidate",
    [STAGE_EVALUATE] = "evaluation.finished",
    [STAGE_KEEP] = "the proposal to keep the candidate",
    [STAGE_KEEP_GATE] = "a decision on keeping the candidate",
    [STAGE_COMMIT] = "candidate.kept",
    [STAGE_ROUND_END] = "the next prompt, an analysis or the end",
    [STAGE_RECOMMEND] = "the proposal of a recommendation",
    [STAGE_RECOMMEND_GATE] = "a decision on the recommendation",
    [STAGE_CLOSED] = "nothing: the session is closed",
};

static bool is_at(const struct session *session, unsigned stages)
{
    return (AT(session->now.stage) & stages) != 0;
}

static enum status misfit(const struct session *session, const struct json_ref *at,
                          struct error *err)
{
    return json_ref_error(at, err, "cannot follow here: expected %s", expected[session->now.stage]);
}

static enum status expect_number(const char *what, unsigned found, size_t wanted,
                                 const struct json_ref *at, struct error *err)
{
    if (found == wanted)
        return STATUS_OK;
    return json_ref_error(at, err, "is about %s %u, expected %zu", what, found, wanted);
}

/*
 * A candidate opens the next attempt and a keep is about the current one.  A prompt or a
 * recommendation may be about any attempt.
 */
static enum status check_attempt(const struct session *session,
                                 const struct step_proposed *proposed, const struct json_ref *at,
                                 struct error *err)
{
    size_t count = session->attempts.count;
    bool is_free = proposed->kind == STEP_PROMPT ||
                   (proposed->kind == STEP_RECOMMENDATION && proposed->attempt > 0);

    if (is_free && proposed->attempt <= count)
        return STATUS_OK;
    return expect_number("attempt", proposed->attempt,
                         proposed->kind == STEP_CANDIDATE ? count + 1 : session->now.subject, at,
                         err);
}

static enum status check_by_hand(const struct session *session,
                                 const struct step_proposed *proposed, const struct json_ref *at,
                                 struct error *err)
{
    if (proposed->kind != STEP_CANDIDATE || !round_takes_by_hand(session))
        return misfit(session, at, err);
    if (!session_attempt(session, proposed->edits))
        return json_ref_error(at, err, "edits attempt %u, which does not exist", proposed->edits);
    return STATUS_OK;
}

static enum status check_proposed(const struct session *session, const union event_data *data,
                                  const struct json_ref *at, struct error *err)
{
    const struct step_proposed *proposed = &data->step_proposed;

    if (proposed->is_by_hand && check_by_hand(session, proposed, at, err))
        return STATUS_INVALID;
    if (!proposed->is_by_hand && !is_at(session, proposed_at[proposed->kind]))
        return misfit(session, at, err);
    if (expect_number("step", proposed->step, session->steps.count + 1, at, err))
        return STATUS_INVALID;
    if (proposed->kind != STEP_KEEP && !proposed->text)
        return json_ref_error(at, err, "proposes no text");
    return check_attempt(session, proposed, at, err);
}

static enum status check_decided(const struct session *session, const union event_data *data,
                                 const struct json_ref *at, struct error *err)
{
    const struct step_decided *decided = &data->step_decided;
    const struct step *pending = session_pending(session);

    if (!pending)
        return misfit(session, at, err);
    if (decided->decision == DECISION_PENDING)
        return json_ref_error(at, err, "has no decision");
    if (decided->decision == DECISION_EDITED && !decided->text)
        return json_ref_error(at, err, "has no edited text");
    return expect_number("step", decided->step, pending->number, at, err);
}

static enum status check_undone(const struct session *session, const union event_data *data,
                                const struct json_ref *at, struct error *err)
{
    unsigned step = session_undoable(session);

    if (step == 0)
        return json_ref_error(at, err, "no decision of the engineer is left to undo");
    return expect_number("step", data->step_undone.step, step, at, err);
}

static enum status check_redone(const struct session *session, const union event_data *data,
                                const struct json_ref *at, struct error *err)
{
    unsigned step = session_redoable(session);

    if (step == 0)
        return json_ref_error(at, err, "no decision was undone");
    return expect_number("step", data->step_redone.step, step, at, err);
}

static enum status check_run_ended(const struct session *session, const union event_data *data,
                                   const struct json_ref *at, struct error *err)
{
    (void)data;
    return session->run.is_on ? STATUS_OK : json_ref_error(at, err, "no run is under way");
}

static enum status check_reply(const struct session *session, const union event_data *data,
                               const struct json_ref *at, struct error *err)
{
    const struct attempt *last = session_subject(session);
    bool is_generated = session->now.stage == STAGE_GENERATE;
    const char *task = agent_task_name(is_generated ? TASK_GENERATE : TASK_ANALYSE);

    if (strcmp(data->model_reply.task, task) != 0)
        return misfit(session, at, err);
    if (!is_generated &&
        (!last || last->outcome != OUTCOME_CORRECT || session->now.analysed == last->number))
        return json_ref_error(at, err, "there is nothing to analyse");
    return STATUS_OK;
}

static enum status check_started(const struct session *session, const union event_data *data,
                                 const struct json_ref *at, struct error *err)
{
    return expect_number("attempt", data->evaluation_started.attempt, session->now.subject, at,
                         err);
}

/* A reply that holds no candidate gets the outcome bad_reply without an evaluation. */
static enum status check_finished(const struct session *session, const union event_data *data,
                                  const struct json_ref *at, struct error *err)
{
    const struct evaluation_finished *finished = &data->evaluation_finished;
    bool is_reply = session->now.stage == STAGE_CANDIDATE;

    if (finished->outcome == OUTCOME_NONE || (is_reply && finished->outcome != OUTCOME_BAD_REPLY))
        return misfit(session, at, err);
    return expect_number("attempt", finished->attempt,
                         is_reply ? session->attempts.count + 1 : session->now.subject, at, err);
}

static enum status check_baselines(const struct session *session, const union event_data *data,
                                   const struct json_ref *at, struct error *err)
{
    const struct baselines_timed *timed = &data->baselines_timed;
    const struct attempt *attempt = session_attempt(session, timed->attempt);

    if (!attempt || attempt->outcome != OUTCOME_CORRECT || attempt->speed.value <= 0)
        return json_ref_error(at, err, "no attempt %u with a time", timed->attempt);
    return timed->speedup > 0 ? STATUS_OK : json_ref_error(at, err, "speedup: expected above 0");
}

static enum status check_kept(const struct session *session, const union event_data *data,
                              const struct json_ref *at, struct error *err)
{
    return expect_number("attempt", data->candidate_kept.attempt, session->now.subject, at, err);
}

static enum status check_tagged(const struct session *session, const union event_data *data,
                                const struct json_ref *at, struct error *err)
{
    unsigned attempt = data->candidate_tagged.attempt;

    if (session_attempt(session, attempt))
        return STATUS_OK;
    return json_ref_error(at, err, "no attempt %u", attempt);
}

static enum status check_picture(const struct session *session, const union event_data *data,
                                 const struct json_ref *at, struct error *err)
{
    const struct picture_taken *taken = &data->picture_taken;
    const struct attempt *attempt = session_attempt(session, taken->attempt);

    if (!attempt || attempt->outcome != OUTCOME_CORRECT)
        return json_ref_error(at, err, "no correct attempt %u", taken->attempt);
    return taken->text || taken->reason ? STATUS_OK
                                        : json_ref_error(at, err, "expected a text or a reason");
}

static enum status check_reference(const struct session *session, const union event_data *data,
                                   const struct json_ref *at, struct error *err)
{
    (void)data;
    return session_has_unjudged_reference(session)
               ? STATUS_OK
               : json_ref_error(at, err, "there is no reference to judge");
}

/* The stages at which an event may come, and a further check or NULL. */
static const struct {
    unsigned stages;
    enum status (*check)(const struct session *session, const union event_data *data,
                         const struct json_ref *at, struct error *err);
} checks[] = {
    [EVENT_SESSION_OPENED] = {AT(STAGE_OPENING), NULL},
    [EVENT_PROBLEM_LOADED] = {AT(STAGE_OPENING), NULL},
    [EVENT_DEVICE_DESCRIBED] = {AT_OPEN, NULL},
    [EVENT_REFERENCE_JUDGED] = {AT(STAGE_PROMPT), check_reference},
    [EVENT_STEP_PROPOSED] = {AT_OPEN, check_proposed},
    [EVENT_STEP_DECIDED] = {AT_OPEN, check_decided},
    [EVENT_STEP_UNDONE] = {AT_OPEN, check_undone},
    [EVENT_STEP_REDONE] = {AT_OPEN, check_redone},
    [EVENT_MODEL_REQUEST] = {AT(STAGE_GENERATE) | AT(STAGE_ROUND_END), NULL},
    [EVENT_MODEL_REPLY] = {AT(STAGE_GENERATE) | AT(STAGE_ROUND_END), check_reply},
    [EVENT_MODEL_CANCELLED] = {AT(STAGE_GENERATE) | AT(STAGE_ROUND_END), NULL},
    [EVENT_EVALUATION_STARTED] = {AT(STAGE_EVALUATE), check_started},
    [EVENT_EVALUATION_FINISHED] = {AT(STAGE_EVALUATE) | AT(STAGE_CANDIDATE), check_finished},
    [EVENT_BASELINES_TIMED] = {AT_OPEN, check_baselines},
    [EVENT_CANDIDATE_KEPT] = {AT(STAGE_COMMIT), check_kept},
    [EVENT_CANDIDATE_TAGGED] = {AT_OPEN, check_tagged},
    [EVENT_NOTE] = {AT_OPEN, NULL},
    [EVENT_ATTACHMENT] = {AT_OPEN, NULL},
    [EVENT_PICTURE_TAKEN] = {AT_OPEN, check_picture},
    [EVENT_BUDGET] = {AT_OPEN, NULL},
    [EVENT_POLICY_CHANGED] = {AT_OPEN, NULL},
    [EVENT_LANGUAGE_CHANGED] = {AT_OPEN, NULL},
    [EVENT_RUN_STARTED] = {AT_OPEN, NULL},
    [EVENT_RUN_ENDED] = {AT_OPEN, check_run_ended},
    [EVENT_SESSION_CLOSED] = {AT_OPEN, NULL},
    /* Belongs to no session. */
    [EVENT_RECOMMENDATION_MARKED] = {0, NULL},
    [EVENT_SUITE_OPENED] = {0, NULL},
    [EVENT_TASK_STARTED] = {0, NULL},
    [EVENT_TASK_ENDED] = {0, NULL},
    [EVENT_TASK_FAILED] = {0, NULL},
    [EVENT_SUITE_STOPPED] = {0, NULL},
    [EVENT_SUITE_SUBMITTED] = {0, NULL},
};

enum status event_check_read(const struct session *session, const struct event *event,
                             union event_data *data, struct error *err)
{
    char place[64] = "";
    struct json_ref at = json_ref_root(event->body, place);
    enum status st;

    if (event->seq)
        snprintf(place, sizeof(place), "event %" PRIu64 " (%s)", event->seq,
                 event_name(event->type));
    else
        snprintf(place, sizeof(place), "%s", event_name(event->type));
    if (event->seq && event->seq != session->events + 1)
        return json_ref_error(&at, err, "expected event %" PRIu64, session->events + 1);
    if ((session->events == 0) != (event->type == EVENT_SESSION_OPENED))
        return json_ref_error(
            &at, err, "session.opened must be the first event of a session, and only the first");
    st = event_decode(event, place, data, err);
    if (st)
        return st;
    if (!is_at(session, checks[event->type].stages))
        return misfit(session, &at, err);
    return checks[event->type].check ? checks[event->type].check(session, data, &at, err)
                                     : STATUS_OK;
}
