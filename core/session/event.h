#ifndef CORE_SESSION_EVENT_H
#define CORE_SESSION_EVENT_H

#include "core/base/clock.h"
#include "core/base/json.h"

/*
 * What happened in a session, one thing at a time.  A session is the fold of
 * its events: session_apply() turns them into state, and nothing else does.
 * In the journal an event is one line of JSON: {"seq", "at", "type", ...}.
 *
 *	session.opened      session, problem, agent, device, language, limits, policy, repository
 *	problem.loaded      name, text (blob)
 *	step.proposed       step, kind, attempt, title, text (blob); a recommendation also
 *	                    bottleneck, evidence, change, gain, tags
 *	step.decided        step, decision, by, reason, text (blob: what it was edited to)
 *	model.request       step, task, agent
 *	model.reply         task, text (blob), prompt_tokens, reply_tokens, latency_us
 *	evaluation.started  attempt, candidate (blob)
 *	evaluation.finished attempt, outcome, detail, verdict (blob), median_us, low_us, high_us,
 *	                    speedup, bound_fraction
 *	candidate.kept      attempt, commit
 *	note                text
 *	policy.changed      kind, mode
 *	session.closed      reason
 *
 * Large texts are blobs of the session's repository, named by object id.
 */
enum event_type {
    EVENT_NONE,
    EVENT_SESSION_OPENED,
    EVENT_PROBLEM_LOADED,
    EVENT_STEP_PROPOSED,
    EVENT_STEP_DECIDED,
    EVENT_MODEL_REQUEST,
    EVENT_MODEL_REPLY,
    EVENT_EVALUATION_STARTED,
    EVENT_EVALUATION_FINISHED,
    EVENT_CANDIDATE_KEPT,
    EVENT_NOTE,
    EVENT_POLICY_CHANGED,
    EVENT_SESSION_CLOSED,
};

struct event {
    uint64_t seq; /* counts from 1 without gaps */
    enum event_type type;
    struct json *body; /* the whole line as an object; owned */
};

/* An event that has not been written yet; put its members into body. */
struct event event_new(enum event_type type);
void event_release(struct event *event);

const char *event_name(enum event_type type);

/* Give the event its place and time, as members of its body. */
void event_stamp(struct event *event, uint64_t seq, const char stamp[CLOCK_STAMP_SIZE]);

/* Read one line; `place` ("events.jsonl:12") begins the error. Takes what it needs from `line`. */
enum status event_parse(struct event *event, const char *line, const char *place,
                        struct error *err) MUST_CHECK;

#endif
