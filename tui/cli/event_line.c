#include "tui/cli/event_line.h"

#include <limits.h>

#include "core/base/array.h"
#include "core/base/format.h"
#include "core/model/language.h"
#include "core/model/roofline/bound.h"
#include "core/session/state/scale.h"
#include "tui/cli/session_summary.h"

static void describe_opened(const struct session *s, const struct event *event, struct strbuf *line)
{
    (void)event;
    strbuf_addf(line, "session %s: %s on %s by ", s->id, s->problem_name, s->device);
    session_summary_add_agents(s, line);
}

static void describe_proposed(const struct session *s, const struct event *event,
                              struct strbuf *line)
{
    const struct step *step = &s->steps.items[s->steps.count - 1];
    char text[FORMAT_SIZE];

    (void)event;
    strbuf_addf(line, "step %u  %s: %s", step->number, step_kind_name(step->kind), step->title);
    if (step->effort.agent && s->roles.other_count)
        strbuf_addf(line, ", by %s", step->effort.agent);
    if (step->gain > 0)
        strbuf_addf(line, " (promises %s)", format_speedup(text, step->gain));
}

static unsigned event_step(const struct event *event)
{
    return (unsigned)json_get_whole(event->body, "step", UINT_MAX, 0);
}

static void describe_decided(const struct session *s, const struct event *event,
                             struct strbuf *line)
{
    const struct step *step = session_step(s, event_step(event));

    if (step->decision == DECISION_ACCEPTED && step->decider == DECIDER_POLICY)
        return; /* the usual case, which needs no line */
    strbuf_addf(line, "step %u  %s by %s", step->number, decision_name(step->decision),
                step->decider == DECIDER_POLICY ? "policy" : "engineer");
    if (step->reason && step->reason[0])
        strbuf_addf(line, ": %s", step->reason);
}

static const struct attempt *event_attempt(const struct session *s, const struct event *event)
{
    return session_attempt(s, (unsigned)json_get_whole(event->body, "attempt", UINT_MAX, 0));
}

static void describe_finished(const struct session *s, const struct event *event,
                              struct strbuf *line)
{
    const struct attempt *a = event_attempt(s, event);
    char share[BOUND_SHARE_SIZE];

    strbuf_addf(line, "attempt %u  %s", a->number, outcome_name(a->outcome));
    if (a->detail)
        strbuf_adds(line, ": ");
    scale_describe_result(s, a, line);
    if (a->bound_fraction > 0)
        strbuf_addf(line, ", %s", bound_share_of(a->bound_fraction, share));
}

static void describe_kept(const struct session *s, const struct event *event, struct strbuf *line)
{
    const struct attempt *a = event_attempt(s, event);

    strbuf_addf(line, "attempt %u  kept as %.10s", a->number, a->commit);
}

static void describe_baselines(const struct session *s, const struct event *event,
                               struct strbuf *line)
{
    const struct attempt *a =
        session_attempt(s, (unsigned)json_get_number(event->body, "attempt", 0));

    if (!a)
        return;
    strbuf_addf(line, "attempt %u  timed with compiled baselines: ", a->number);
    scale_describe_result(s, a, line);
}

static void describe_budget(const struct session *s, const struct event *event, struct strbuf *line)
{
    char used[BUDGET_TEXT_SIZE], limit[BUDGET_TEXT_SIZE];
    union event_data data;

    (void)s;
    if (event_decode(event, "budget", &data, NULL))
        return;
    budget_describe(data.budget.resource, data.budget.used, used);
    budget_describe(data.budget.resource, data.budget.limit, limit);
    strbuf_addf(line, "budget: %s of %s used", used, limit);
}

static void describe_run(const struct session *s, const struct event *event, struct strbuf *line)
{
    const struct run_limits *limits = &s->run.limits;

    (void)event;
    strbuf_adds(line, "the policy decides");
    if (limits->steps)
        strbuf_addf(line, " %u step%s", limits->steps, limits->steps == 1 ? "" : "s");
    if (limits->until_failure)
        strbuf_adds(line, ", until a candidate fails");
    if (limits->until_slower)
        strbuf_adds(line, ", until a candidate is slower than the best");
    if (limits->usd > 0)
        strbuf_addf(line, ", until $%.3g are spent", limits->usd);
}

/* Describe an event by one of its members. */
static void describe_words(const struct session *s, const struct event *event, struct strbuf *line)
{
    static const struct {
        enum event_type type;
        const char *what, *key;
    } rows[] = {
        {EVENT_MODEL_CANCELLED, "request to the model cancelled", "reason"},
        {EVENT_CANDIDATE_TAGGED, "candidate named", "tag"},
        {EVENT_NOTE, "note from the engineer", "text"},
        {EVENT_ATTACHMENT, "attached", "name"},
        {EVENT_RUN_ENDED, "the run ends", "reason"},
    };

    (void)s;
    for (size_t i = 0; i < COUNT(rows); i++)
        if (rows[i].type == event->type)
            strbuf_addf(line, "%s: %s", rows[i].what,
                        json_get_string(event->body, rows[i].key, ""));
}

static void describe_picture(const struct session *s, const struct event *event,
                             struct strbuf *line)
{
    union event_data data;
    const struct picture_taken *taken = &data.picture_taken;

    if (event_decode(event, "picture", &data, NULL))
        return;
    if (taken->text)
        strbuf_addf(line, "attempt %u  picture %s: kforge picture %s %u", taken->attempt,
                    taken->name ? taken->name : "", s->id, taken->attempt);
    else
        strbuf_addf(line, "attempt %u  no picture: %s", taken->attempt,
                    taken->reason ? taken->reason : "");
}

static void describe_reference(const struct session *s, const struct event *event,
                               struct strbuf *line)
{
    bool is_left_out = s->reference_result.outcome == OUTCOME_NONE;

    (void)event;
    strbuf_addf(line, "reference %s in %s: %s: %s", s->reference_name ? s->reference_name : "",
                language_title(s->reference_language),
                is_left_out ? "not judged" : outcome_name(s->reference_result.outcome),
                s->reference_result.detail);
}

static void describe_undone(const struct session *s, const struct event *event, struct strbuf *line)
{
    (void)s;
    strbuf_addf(line, "step %u  decision %s", event_step(event),
                event->type == EVENT_STEP_UNDONE ? "undone: the step waits again" : "redone");
}

static void describe_closed(const struct session *s, const struct event *event, struct strbuf *line)
{
    (void)event;
    strbuf_addf(line, "closed: %s", s->closed_because);
}

static void describe_language(const struct session *s, const struct event *event,
                              struct strbuf *line)
{
    (void)event;
    strbuf_addf(line, "the agents write %s now", language_title(s->language));
}

/* Appends the line of an event that has already been applied to the session. */
typedef void describer(const struct session *s, const struct event *event, struct strbuf *line);

/* Events without a describer have no line. */
static describer *const describers[] = {
    [EVENT_SESSION_OPENED] = describe_opened,
    [EVENT_STEP_PROPOSED] = describe_proposed,
    [EVENT_STEP_DECIDED] = describe_decided,
    [EVENT_STEP_UNDONE] = describe_undone,
    [EVENT_STEP_REDONE] = describe_undone,
    [EVENT_EVALUATION_FINISHED] = describe_finished,
    [EVENT_BASELINES_TIMED] = describe_baselines,
    [EVENT_CANDIDATE_KEPT] = describe_kept,
    [EVENT_SESSION_CLOSED] = describe_closed,
    [EVENT_LANGUAGE_CHANGED] = describe_language,
    [EVENT_BUDGET] = describe_budget,
    [EVENT_REFERENCE_JUDGED] = describe_reference,
    [EVENT_PICTURE_TAKEN] = describe_picture,
    [EVENT_RUN_STARTED] = describe_run,
    [EVENT_MODEL_CANCELLED] = describe_words,
    [EVENT_CANDIDATE_TAGGED] = describe_words,
    [EVENT_NOTE] = describe_words,
    [EVENT_ATTACHMENT] = describe_words,
    [EVENT_RUN_ENDED] = describe_words,
};

void event_line_add(const struct session *s, const struct event *event, struct strbuf *line)
{
    if ((size_t)event->type < COUNT(describers) && describers[event->type])
        describers[event->type](s, event, line);
}
