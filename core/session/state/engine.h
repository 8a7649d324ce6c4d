#ifndef CORE_SESSION_STATE_ENGINE_H
#define CORE_SESSION_STATE_ENGINE_H

#include "core/session/state/session.h"

/*
 * The loop as a state machine without I/O: from the state of a session to
 * the one thing to do next.  Whoever does it writes an event about it, and
 * asks again.  Being a function of the state, it resumes by itself.
 */

enum action {
    ACTION_NONE, /* closed */
    ACTION_LOAD_PROBLEM,
    ACTION_PROPOSE_PROMPT,
    ACTION_DECIDE, /* the pending step: by policy or by the engineer */
    ACTION_GENERATE,
    ACTION_PROPOSE_CANDIDATE,
    ACTION_EVALUATE, /* the last attempt */
    ACTION_PROPOSE_KEEP,
    ACTION_KEEP, /* commit the last attempt */
    ACTION_ANALYSE,
    ACTION_PROPOSE_RECOMMENDATION,
    ACTION_WARN,    /* that a budget is nearly used up: engine_warning() */
    ACTION_END_RUN, /* policies have decided for long enough: engine_run_ending() */
    ACTION_CLOSE,
};

/* The one thing to do next; ACTION_NONE when the session is closed. */
enum action engine_next(const struct session *session);

/*
 * Why the session ends now, or ended.  Most reasons count at the end of a
 * round; a budget ends it before the next thing that costs any of it.
 */
enum closing engine_closing(const struct session *session);

/* The budget that ACTION_WARN is about. */
struct budget_used engine_warning(const struct session *session);

/* Why ACTION_CLOSE comes next: "the bound is reached to 96 %". Writes one line. */
void engine_closing_reason(const struct session *session, char *text, size_t size);

/* Whether the pending step waits for the engineer; else the policy decides. */
bool engine_asks(const struct session *session);

/* Whether a run has reached one of its limits, and which. Writes one line. */
bool engine_run_ending(const struct session *session, char *text, size_t size);

/* What the policy says to the pending step, with its reason in one line. */
enum decision engine_policy(const struct session *session, char *reason, size_t size);

#endif
