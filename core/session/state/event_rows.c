#include "core/session/state/event_rows.h"

#include <string.h>

#include "core/session/state/event_data.h"
#include "core/session/state/object_id.h"

/* Object ids are texts of 40 hexadecimal digits. */
static struct json *encode_id(const void *member)
{
    const char *id = *(const char *const *)member;

    return id ? json_string_new(id) : NULL;
}

static enum status decode_id(void *member, const struct json_ref *at, struct error *err)
{
    const char *id = NULL;
    enum status st = json_read_string(at, &id, err);

    if (st)
        return st;
    if (strlen(id) != OBJECT_ID_SIZE - 1 || strspn(id, "0123456789abcdef") != OBJECT_ID_SIZE - 1)
        return json_ref_error(at, err, "expected an object id, found \"%.60s\"", id);
    *(const char **)member = id;
    return STATUS_OK;
}

static void release_nothing(void *member)
{
    (void)member;
}

const struct field_codec event_text_codec = {encode_id, decode_id, release_nothing};
static const struct field_codec commit_codec = {encode_id, decode_id, release_nothing};

static struct json *encode_outcome(const void *member)
{
    return json_string_new(outcome_name(*(const enum outcome *)member));
}

static enum status decode_outcome(void *member, const struct json_ref *at, struct error *err)
{
    const char *name = NULL;
    enum status st = json_read_string(at, &name, err);

    if (!st && !outcome_parse(name, member))
        st = json_ref_error(at, err, "no outcome \"%.60s\"", name);
    return st;
}

static const struct field_codec outcome_codec = {encode_outcome, decode_outcome, release_nothing};

#define TEXT(type, member)   FIELD(CUSTOM, struct type, member), .codec = &event_text_codec
#define COMMIT(type, member) FIELD(CUSTOM, struct type, member), .codec = &commit_codec
#define IF(type, flag)       .presence = offsetof(struct type, flag)

#define BUDGET(name, resource)         \
    .key = (name), .kind = FIELD_REAL, \
    .offset = offsetof(struct limits, budget) + (resource) * sizeof(double)

static const struct field limits_fields[] = {
    {FIELD(UNSIGNED, struct limits, functional)},
    {FIELD(UNSIGNED, struct limits, optimize)},
    {FIELD(UNSIGNED, struct limits, attempts)},
    {FIELD(UNSIGNED, struct limits, flat)},
    {FIELD(UNSIGNED, struct limits, context)},
    {BUDGET("usd", RESOURCE_USD)},
    {BUDGET("tokens", RESOURCE_TOKENS)},
    {BUDGET("minutes", RESOURCE_MINUTES)},
    {0},
};

#define MODE(name, step)                                                      \
    .key = (name), .kind = FIELD_CHOICE,                                      \
    .offset = offsetof(struct gate, modes) + (step) * sizeof(enum gate_mode), \
    .choices = gate_mode_names

static const struct field policy_fields[] = {
    {MODE("prompt", STEP_PROMPT)},
    {MODE("candidate", STEP_CANDIDATE)},
    {MODE("keep", STEP_KEEP)},
    {MODE("recommendation", STEP_RECOMMENDATION)},
    {0},
};

static const struct field agent_item = {.kind = FIELD_BORROWED};

static const struct field session_opened_fields[] = {
    {FIELD(BORROWED, struct session_opened, session)},
    {FIELD(BORROWED, struct session_opened, problem)},
    {FIELD(BORROWED, struct session_opened, agent)},
    {.key = "others",
     .kind = FIELD_ARRAY,
     .offset = offsetof(struct session_opened, roles.others),
     .other = offsetof(struct session_opened, roles.other_count),
     .item = &agent_item,
     .size = sizeof(const char *),
     .max = ROUND_ATTEMPTS - 1},
    {.key = "analyst",
     .kind = FIELD_BORROWED,
     .offset = offsetof(struct session_opened, roles.analyst)},
    {.key = "without_profile",
     .kind = FIELD_BOOL,
     .offset = offsetof(struct session_opened, roles.without_profile),
     .presence = offsetof(struct session_opened, roles.without_profile)},
    {FIELD(BORROWED, struct session_opened, device)},
    {FIELD(BORROWED, struct session_opened, language)},
    {FIELD(BORROWED, struct session_opened, repository)},
    {FIELD(RECORD, struct session_opened, limits), .fields = limits_fields},
    {FIELD(RECORD, struct session_opened, policy), .fields = policy_fields},
    {FIELD(BORROWED, struct session_opened, forked_from)},
    {FIELD(UNSIGNED, struct session_opened, forked_at), IF(session_opened, is_forked)},
    {TEXT(session_opened, reference)},
    {FIELD(BORROWED, struct session_opened, reference_name)},
    {TEXT(session_opened, reference_reply)},
    {FIELD(BORROWED, struct session_opened, reference_language)},
    {FIELD(BORROWED, struct session_opened, picture)},
    {0},
};

static const struct field problem_loaded_fields[] = {
    {FIELD(BORROWED, struct problem_loaded, name)},
    {TEXT(problem_loaded, text)},
    {0},
};

static const struct field device_described_fields[] = {
    {TEXT(device_described, text)},
    {0},
};

static const struct field reference_judged_fields[] = {
    {FIELD(CUSTOM, struct reference_judged, outcome), .codec = &outcome_codec},
    {FIELD(BORROWED, struct reference_judged, detail)},
    {TEXT(reference_judged, verdict)},
    {FIELD(REAL, struct reference_judged, median_us), IF(reference_judged, is_timed)},
    {0},
};

static const struct field step_proposed_fields[] = {
    {FIELD(UNSIGNED, struct step_proposed, step)},
    {FIELD(CHOICE, struct step_proposed, kind), .choices = step_kind_names},
    {FIELD(UNSIGNED, struct step_proposed, attempt)},
    {FIELD(BORROWED, struct step_proposed, title)},
    {TEXT(step_proposed, text)},
    {FIELD(UNSIGNED, struct step_proposed, edits), IF(step_proposed, is_by_hand)},
    {FIELD(BORROWED, struct step_proposed, bottleneck)},
    {FIELD(BORROWED, struct step_proposed, evidence)},
    {FIELD(BORROWED, struct step_proposed, change)},
    {FIELD(BORROWED, struct step_proposed, tags)},
    {FIELD(REAL, struct step_proposed, gain), IF(step_proposed, has_gain)},
    {0},
};

static const struct field step_decided_fields[] = {
    {FIELD(UNSIGNED, struct step_decided, step)},
    {FIELD(CHOICE, struct step_decided, decision), .choices = decision_names},
    {FIELD(CHOICE, struct step_decided, by), .choices = decider_names},
    {FIELD(BORROWED, struct step_decided, reason)},
    {TEXT(step_decided, text)},
    {FIELD(BORROWED, struct step_decided, change)},
    {FIELD(REAL, struct step_decided, gain), IF(step_decided, has_gain)},
    {0},
};

static const struct field step_undone_fields[] = {
    {FIELD(UNSIGNED, struct step_undone, step)},
    {0},
};

static const struct field step_redone_fields[] = {
    {FIELD(UNSIGNED, struct step_redone, step)},
    {0},
};

static const struct field model_request_fields[] = {
    {FIELD(UNSIGNED, struct model_request, step)},
    {FIELD(BORROWED, struct model_request, task)},
    {FIELD(BORROWED, struct model_request, agent)},
    {TEXT(model_request, text)},
    {0},
};

static const struct field model_reply_fields[] = {
    {FIELD(BORROWED, struct model_reply, task)},
    {FIELD(BORROWED, struct model_reply, agent)},
    {TEXT(model_reply, text)},
    {FIELD(INT64, struct model_reply, prompt_tokens), IF(model_reply, has_tokens)},
    {FIELD(INT64, struct model_reply, cached_tokens), IF(model_reply, has_tokens)},
    {FIELD(INT64, struct model_reply, reply_tokens), IF(model_reply, has_tokens)},
    {FIELD(INT64, struct model_reply, latency_us)},
    {FIELD(REAL, struct model_reply, cost_usd), IF(model_reply, has_cost)},
    {0},
};

static const struct field model_cancelled_fields[] = {
    {FIELD(BORROWED, struct model_cancelled, task)},
    {FIELD(BORROWED, struct model_cancelled, agent)},
    {TEXT(model_cancelled, text)},
    {FIELD(INT64, struct model_cancelled, latency_us)},
    {FIELD(BORROWED, struct model_cancelled, reason)},
    {0},
};

static const struct field evaluation_started_fields[] = {
    {FIELD(UNSIGNED, struct evaluation_started, attempt)},
    {TEXT(evaluation_started, candidate)},
    {0},
};

static const struct field evaluation_finished_fields[] = {
    {FIELD(UNSIGNED, struct evaluation_finished, attempt)},
    {FIELD(CUSTOM, struct evaluation_finished, outcome), .codec = &outcome_codec},
    {FIELD(BORROWED, struct evaluation_finished, detail)},
    {TEXT(evaluation_finished, verdict)},
    {FIELD(BORROWED, struct evaluation_finished, tuned)},
    {FIELD(REAL, struct evaluation_finished, median_us), IF(evaluation_finished, is_timed)},
    {FIELD(REAL, struct evaluation_finished, low_us), IF(evaluation_finished, is_timed)},
    {FIELD(REAL, struct evaluation_finished, high_us), IF(evaluation_finished, is_timed)},
    {FIELD(BORROWED, struct evaluation_finished, over)},
    {FIELD(REAL, struct evaluation_finished, speedup), IF(evaluation_finished, has_speedup)},
    {FIELD(REAL, struct evaluation_finished, speedup_low), IF(evaluation_finished, has_speedup)},
    {FIELD(REAL, struct evaluation_finished, speedup_high), IF(evaluation_finished, has_speedup)},
    {FIELD(REAL, struct evaluation_finished, gain), IF(evaluation_finished, has_gain)},
    {FIELD(REAL, struct evaluation_finished, gain_low), IF(evaluation_finished, has_gain)},
    {FIELD(REAL, struct evaluation_finished, gain_high), IF(evaluation_finished, has_gain)},
    {FIELD(UNSIGNED, struct evaluation_finished, timed_with), IF(evaluation_finished, has_gain)},
    {FIELD(REAL, struct evaluation_finished, first_gain), IF(evaluation_finished, has_first_gain)},
    {FIELD(REAL, struct evaluation_finished, first_gain_low),
     IF(evaluation_finished, has_first_gain)},
    {FIELD(REAL, struct evaluation_finished, first_gain_high),
     IF(evaluation_finished, has_first_gain)},
    {FIELD(REAL, struct evaluation_finished, bound_fraction), IF(evaluation_finished, has_bound)},
    {FIELD(INT64, struct evaluation_finished, wall_us)},
    {0},
};

static const struct field baselines_timed_fields[] = {
    {FIELD(UNSIGNED, struct baselines_timed, attempt)},
    {TEXT(baselines_timed, verdict)},
    {FIELD(BORROWED, struct baselines_timed, over)},
    {FIELD(REAL, struct baselines_timed, speedup)},
    {FIELD(REAL, struct baselines_timed, speedup_low)},
    {FIELD(REAL, struct baselines_timed, speedup_high)},
    {0},
};

static const struct field candidate_kept_fields[] = {
    {FIELD(UNSIGNED, struct candidate_kept, attempt)},
    {COMMIT(candidate_kept, commit)},
    {0},
};

static const struct field candidate_tagged_fields[] = {
    {FIELD(UNSIGNED, struct candidate_tagged, attempt)},
    {FIELD(BORROWED, struct candidate_tagged, tag)},
    {0},
};

static const struct field note_fields[] = {
    {FIELD(BORROWED, struct note, text)},
    {0},
};

static const struct field attachment_fields[] = {
    {FIELD(BORROWED, struct attachment, name)},
    {FIELD(BORROWED, struct attachment, media_type)},
    {TEXT(attachment, text)},
    {0},
};

static const struct field picture_taken_fields[] = {
    {FIELD(UNSIGNED, struct picture_taken, attempt)},
    {FIELD(BORROWED, struct picture_taken, name)},
    {FIELD(BORROWED, struct picture_taken, media_type)},
    {TEXT(picture_taken, text)},
    {FIELD(BORROWED, struct picture_taken, reason)},
    {0},
};

static const struct field budget_fields[] = {
    {FIELD(CHOICE, struct budget_used, resource), .choices = resource_names},
    {FIELD(REAL, struct budget_used, used)},
    {FIELD(REAL, struct budget_used, limit)},
    {0},
};

static const struct field policy_changed_fields[] = {
    {FIELD(CHOICE, struct policy_changed, kind), .choices = step_kind_names},
    {FIELD(CHOICE, struct policy_changed, mode), .choices = gate_mode_names},
    {0},
};

static const struct field language_changed_fields[] = {
    {FIELD(BORROWED, struct language_changed, language)},
    {0},
};

static const struct field run_started_fields[] = {
    {FIELD(UNSIGNED, struct run_limits, steps)},
    {FIELD(BOOL, struct run_limits, until_failure)},
    {FIELD(BOOL, struct run_limits, until_slower)},
    {FIELD(REAL, struct run_limits, usd)},
    {0},
};

static const struct field run_ended_fields[] = {
    {FIELD(BORROWED, struct run_ended, reason)},
    {0},
};

static const struct field session_closed_fields[] = {
    {FIELD(CHOICE, struct session_closed, cause), .choices = closing_names},
    {FIELD(BORROWED, struct session_closed, reason)},
    {0},
};

static const struct field recommendation_marked_fields[] = {
    {FIELD(BORROWED, struct recommendation_marked, session)},
    {FIELD(UNSIGNED, struct recommendation_marked, step)},
    {FIELD(BOOL, struct recommendation_marked, reviewed)},
    {FIELD(BOOL, struct recommendation_marked, starred)},
    {FIELD(BORROWED, struct recommendation_marked, note)},
    {0},
};

static const struct field suite_opened_fields[] = {
    {FIELD(BORROWED, struct suite_opened, suite)},
    {FIELD(BORROWED, struct suite_opened, name)},
    {FIELD(UNSIGNED, struct suite_opened, tasks)},
    {0},
};

static const struct field task_started_fields[] = {
    {FIELD(UNSIGNED, struct task_started, task)},
    {FIELD(BORROWED, struct task_started, session)},
    {FIELD(BORROWED, struct task_started, problem)},
    {FIELD(BORROWED, struct task_started, arm)},
    {FIELD(UNSIGNED, struct task_started, repeat)},
    {FIELD(BORROWED, struct task_started, host)},
    {0},
};

/* By enum task_result. */
static const char *const task_result_names[] = {"improved", "no_gain", "incorrect", "budget", NULL};

static const struct field task_ended_fields[] = {
    {FIELD(UNSIGNED, struct task_ended, task)},
    {FIELD(BORROWED, struct task_ended, session)},
    {FIELD(CHOICE, struct task_ended, result), .choices = task_result_names},
    {0},
};

static const struct field task_failed_fields[] = {
    {FIELD(UNSIGNED, struct task_failed, task)},
    {FIELD(BORROWED, struct task_failed, session)},
    {FIELD(BORROWED, struct task_failed, reason)},
    {0},
};

static const struct field suite_stopped_fields[] = {
    {FIELD(BORROWED, struct suite_stopped, reason)},
    {0},
};

static const struct field suite_submitted_fields[] = {
    {FIELD(BORROWED, struct suite_submitted, scheduler)},
    {FIELD(BORROWED, struct suite_submitted, job)},
    {FIELD(UNSIGNED, struct suite_submitted, list)},
    {FIELD(UNSIGNED, struct suite_submitted, tasks)},
    {0},
};

const struct event_row event_rows[] = {
    [EVENT_SESSION_OPENED] = {"session.opened",
                              session_opened_fields,
                              {"session", "problem", "agent", "limits", "policy"}},
    [EVENT_PROBLEM_LOADED] = {"problem.loaded", problem_loaded_fields, {"name", "text"}},
    [EVENT_DEVICE_DESCRIBED] = {"device.described", device_described_fields, {"text"}},
    [EVENT_STEP_PROPOSED] = {"step.proposed",
                             step_proposed_fields,
                             {"step", "kind", "attempt", "title"}},
    [EVENT_STEP_DECIDED] = {"step.decided", step_decided_fields, {"step", "decision", "by"}},
    [EVENT_STEP_UNDONE] = {"step.undone", step_undone_fields, {"step"}},
    [EVENT_STEP_REDONE] = {"step.redone", step_redone_fields, {"step"}},
    [EVENT_MODEL_REQUEST] = {"model.request", model_request_fields, {"task", "agent"}},
    [EVENT_MODEL_REPLY] = {"model.reply", model_reply_fields, {"task", "text"}},
    [EVENT_MODEL_CANCELLED] = {"model.cancelled", model_cancelled_fields, {"task", "latency_us"}},
    [EVENT_EVALUATION_STARTED] = {"evaluation.started",
                                  evaluation_started_fields,
                                  {"attempt", "candidate"}},
    [EVENT_EVALUATION_FINISHED] = {"evaluation.finished",
                                   evaluation_finished_fields,
                                   {"attempt", "outcome"}},
    [EVENT_BASELINES_TIMED] = {"baselines.timed",
                               baselines_timed_fields,
                               {"attempt", "verdict", "over", "speedup"}},
    [EVENT_CANDIDATE_KEPT] = {"candidate.kept", candidate_kept_fields, {"attempt", "commit"}},
    [EVENT_CANDIDATE_TAGGED] = {"candidate.tagged", candidate_tagged_fields, {"attempt", "tag"}},
    [EVENT_NOTE] = {"note", note_fields, {"text"}},
    [EVENT_ATTACHMENT] = {"attachment", attachment_fields, {"name", "media_type", "text"}},
    [EVENT_REFERENCE_JUDGED] = {"reference.judged",
                                reference_judged_fields,
                                {"outcome", "verdict"}},
    [EVENT_PICTURE_TAKEN] = {"picture.taken", picture_taken_fields, {"attempt"}},
    [EVENT_BUDGET] = {"budget", budget_fields, {"resource", "used", "limit"}},
    [EVENT_POLICY_CHANGED] = {"policy.changed", policy_changed_fields, {"kind", "mode"}},
    [EVENT_LANGUAGE_CHANGED] = {"language.changed", language_changed_fields, {"language"}},
    [EVENT_RUN_STARTED] = {"run.started", run_started_fields, {NULL}},
    [EVENT_RUN_ENDED] = {"run.ended", run_ended_fields, {"reason"}},
    [EVENT_SESSION_CLOSED] = {"session.closed", session_closed_fields, {"reason"}},
    [EVENT_RECOMMENDATION_MARKED] = {"recommendation.marked",
                                     recommendation_marked_fields,
                                     {"session", "step", "reviewed", "starred"}},
    [EVENT_SUITE_OPENED] = {"suite.opened", suite_opened_fields, {"suite", "name", "tasks"}},
    [EVENT_TASK_STARTED] = {"task.started", task_started_fields, {"task", "session"}},
    [EVENT_TASK_ENDED] = {"task.ended", task_ended_fields, {"task", "session", "result"}},
    [EVENT_TASK_FAILED] = {"task.failed", task_failed_fields, {"task", "session", "reason"}},
    [EVENT_SUITE_STOPPED] = {"suite.stopped", suite_stopped_fields, {"reason"}},
    [EVENT_SUITE_SUBMITTED] = {"suite.submitted",
                               suite_submitted_fields,
                               {"scheduler", "job", "list", "tasks"}},
};

const size_t event_row_count = sizeof(event_rows) / sizeof(*event_rows);
