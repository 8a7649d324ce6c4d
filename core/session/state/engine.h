#ifndef CORE_SESSION_STATE_ENGINE_H
#define CORE_SESSION_STATE_ENGINE_H

#include "core/session/state/event_data.h"
#include "core/session/state/session.h"

/*
 * The loop of a session as a state machine without I/O: it maps the state to the one action to
 * perform next.  The driver performs the action, records an event about it, and asks again.  The
 * engine keeps nothing between calls, so a session resumes as soon as its journal is folded.
 */

enum action {
    ACTION_NONE, /* closed */
    ACTION_LOAD_PROBLEM,
    ACTION_PROPOSE_PROMPT,
    ACTION_DECIDE, /* on the pending step, by rule, policy or engineer */
    ACTION_GENERATE,
    ACTION_PROPOSE_CANDIDATE,
    ACTION_EVALUATE,        /* the current attempt: session_subject() */
    ACTION_JUDGE_REFERENCE, /* before the first prompt */
    ACTION_TAKE_PICTURE,    /* take a picture of session_unpictured() in a profiler */
    ACTION_PROPOSE_KEEP,
    ACTION_KEEP, /* commit the current attempt */
    ACTION_ANALYSE,
    ACTION_PROPOSE_RECOMMENDATION,
    ACTION_WARN,    /* a budget is nearly used up: engine_warning() */
    ACTION_END_RUN, /* a run has reached a limit: engine_run_ending() */
    ACTION_CLOSE,
};

/* The action to perform next; ACTION_NONE when the session is closed. */
enum action engine_next(const struct session *session);

/*
 * Why the session ends now, or why it ended; CLOSING_NOT while it continues. A budget ends the
 * session before the next action that would use more of it, the other limits at the end of a round.
 */
enum closing engine_closing(const struct session *session);

/* The budget that ACTION_WARN warns about. */
struct budget_used engine_warning(const struct session *session);

/* Write one line that explains engine_closing(): "reached 96 % of the bound"; "" for CLOSING_NOT.
 */
void engine_closing_reason(const struct session *session, char *text, size_t size);

/* True if the pending step waits for the engineer; otherwise the policy decides on it. */
bool engine_asks(const struct session *session);

/* True if the run has reached a limit; writes one line that names it.  `text` may be NULL. */
bool engine_run_ending(const struct session *session, char *text, size_t size);

/*
 * True if an agent will be shown the profile of the candidate under evaluation, should it be the
 * best one: attempts are left, and there is an analyst or a model that writes. The built-in writers
 * read no profile by themselves.
 */
bool engine_has_reader_of_profile(const struct session *session);

/* True if such an agent is a model, which also reads the lines of the source in a profile. */
bool engine_has_reader_of_lines(const struct session *session);

/* The policy's decision on the pending step; writes its reason in one line, or "". */
enum decision engine_policy(const struct session *session, char *reason, size_t size);

#endif
