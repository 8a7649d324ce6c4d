#include "core/session/state/event.h"

#include <string.h>

#include "core/base/record.h"
#include "core/base/utf8.h"
#include "core/session/state/object_id.h"

/*
 * The JSON form of events as tables: the name of each type, and a field (core/base/record.h) for
 * each member of its struct in event_data.h.
 */
struct event_row {
    const char *name; /* "step.decided" */
    const struct field *fields;
    const char *required[6]; /* keys that every event of the type has; NULL ends the list */
};

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

static const struct field_codec event_text_codec = {encode_id, decode_id, release_nothing};
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

static const struct field session_opened_fields[] = {
    {FIELD(BORROWED, struct session_opened, session)},
    {FIELD(BORROWED, struct session_opened, problem)},
    {FIELD(BORROWED, struct session_opened, agent)},
    {FIELD(BORROWED, struct session_opened, device)},
    {FIELD(BORROWED, struct session_opened, language)},
    {FIELD(BORROWED, struct session_opened, repository)},
    {FIELD(RECORD, struct session_opened, limits), .fields = limits_fields},
    {FIELD(RECORD, struct session_opened, policy), .fields = policy_fields},
    {FIELD(BORROWED, struct session_opened, forked_from)},
    {FIELD(UNSIGNED, struct session_opened, forked_at), IF(session_opened, is_forked)},
    {TEXT(session_opened, reference)},
    {FIELD(BORROWED, struct session_opened, reference_name)},
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

static const struct event_row event_rows[] = {
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
    [EVENT_BUDGET] = {"budget", budget_fields, {"resource", "used", "limit"}},
    [EVENT_POLICY_CHANGED] = {"policy.changed", policy_changed_fields, {"kind", "mode"}},
    [EVENT_RUN_STARTED] = {"run.started", run_started_fields, {NULL}},
    [EVENT_RUN_ENDED] = {"run.ended", run_ended_fields, {"reason"}},
    [EVENT_SESSION_CLOSED] = {"session.closed", session_closed_fields, {"reason"}},
    [EVENT_RECOMMENDATION_MARKED] = {"recommendation.marked",
                                     recommendation_marked_fields,
                                     {"session", "step", "reviewed", "starred"}},
};

enum { FORMAT_VERSION = 1 };

struct event event_make(enum event_type type, const void *data)
{
    struct event event = {.type = type, .body = record_encode(event_rows[type].fields, data)};

    if (type == EVENT_SESSION_OPENED)
        json_put_number(event.body, "kforge", FORMAT_VERSION);
    return event;
}

enum status event_decode(const struct event *event, const char *place, union event_data *data,
                         struct error *err)
{
    struct json_ref at = json_ref_root(event->body, place);
    union event_data read = {0};

    if (json_get_number(event->body, "kforge", FORMAT_VERSION) > FORMAT_VERSION)
        return json_ref_error(&at, err,
                              "was written by a newer version of kforge: install that version");
    for (const char *const *key = event_rows[event->type].required; *key; key++)
        if (!json_get(event->body, *key))
            return json_ref_error(&at, err, "%s: missing", *key);
    if (record_decode(event_rows[event->type].fields, &read, &at, err))
        return STATUS_INVALID;
    *data = read;
    return STATUS_OK;
}

const char *event_text(const struct event *event)
{
    for (const struct field *field = event_rows[event->type].fields; field->key; field++)
        if (field->codec == &event_text_codec)
            return json_get_string(event->body, field->key, NULL);
    return NULL;
}

void event_release(struct event *event)
{
    json_free(event->body);
    *event = (struct event){0};
}

const char *event_name(enum event_type type)
{
    return event_rows[type].name;
}

/* A copy of the value; invalid UTF-8 in a text becomes U+FFFD. */
static struct json *clean_copy(const struct json *value)
{
    const char *text = json_string(value, NULL);
    struct strbuf clean = {0};
    struct json *copy;
    uint32_t code;

    if (!text)
        return json_dup(value);
    for (size_t left = strlen(text), taken; left > 0; text += taken, left -= taken) {
        taken = utf8_decode(text, left, &code);
        utf8_encode(&clean, code);
    }
    copy = json_string_new(strbuf_cstr(&clean));
    strbuf_release(&clean);
    return copy;
}

void event_stamp(struct event *event, uint64_t seq, const char *time)
{
    struct json *body = json_object_new();

    json_put_number(body, "seq", (double)seq);
    json_put_string(body, "at", time);
    json_put_string(body, "type", event_name(event->type));
    for (const struct json *m = json_first(event->body); m; m = json_next(m))
        if (!json_get(body, json_key(m)))
            json_put(body, json_key(m), clean_copy(m));
    json_free(event->body);
    event->body = body;
    event->seq = seq;
}

const char *event_time(const struct event *event)
{
    return json_get_string(event->body, "at", "");
}

static enum status read_type(const struct json_ref *at, enum event_type *type, struct error *err)
{
    const char *name = NULL;
    enum status st = json_read_string(at, &name, err);

    if (st)
        return st;
    for (size_t i = EVENT_NONE + 1; i < sizeof(event_rows) / sizeof(*event_rows); i++) {
        if (strcmp(event_rows[i].name, name) == 0) {
            *type = (enum event_type)i;
            return STATUS_OK;
        }
    }
    return json_ref_error(at, err, "unknown type of event \"%.60s\"", name);
}

/* The members that every event has. */
static enum status read_head(struct event *event, const struct json_ref *root, struct error *err)
{
    struct json_ref seq = json_ref_member(root, "seq"), at = json_ref_member(root, "at"),
                    type = json_ref_member(root, "type");
    const char *stamp = NULL;
    int64_t number = 0;

    if (json_expect(root, JSON_OBJECT, err) || json_read_integer(&seq, &number, err) ||
        json_read_string(&at, &stamp, err) || read_type(&type, &event->type, err))
        return STATUS_INVALID;
    if (number < 1)
        return json_ref_error(&seq, err, "expected a number from 1 on, found %lld",
                              (long long)number);
    if (strlen(stamp) >= CLOCK_STAMP_SIZE)
        return json_ref_error(&at, err, "expected a time, found \"%.60s\"", stamp);
    event->seq = (uint64_t)number;
    return STATUS_OK;
}

enum status event_parse(struct event *event, const char *line, const char *place, struct error *err)
{
    struct error inner = {0};
    struct event read = {.body = json_parse(line, strlen(line), &inner)};
    struct json_ref root = json_ref_root(read.body, place);

    if (!read.body)
        return error_set(err, inner.code, "%s: %s", place, inner.text);
    if (read_head(&read, &root, err)) {
        event_release(&read);
        return STATUS_INVALID;
    }
    *event = read;
    return STATUS_OK;
}
