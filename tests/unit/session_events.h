#ifndef TESTS_UNIT_SESSION_EVENTS_H
#define TESTS_UNIT_SESSION_EVENTS_H

#include "core/session/state/fold.h"
#include "tests/unit/unit.h"

#include "core/session/state/session.h"

/* Builders of a session in memory: each applies the events that a journal would hold. */

#define ID(digit)                                                                                 \
    digit digit digit digit digit digit digit digit digit digit digit digit digit digit digit     \
        digit digit digit digit digit digit digit digit digit digit digit digit digit digit digit \
            digit digit digit digit digit digit digit digit digit digit

/* Limits that no test reaches by accident. */
static const struct limits roomy = {.functional = 10, .optimize = 10, .flat = 10};

/* Apply an event; fail the test when it does not fit. */
static inline void apply_event(struct session *session, struct event event)
{
    struct error err = {0};

    event_stamp(&event, session->events + 1, "2026-11-20T21:47:03.125Z");
    if (fold_apply(session, &event, &err))
        fail_msg("%s", err.text);
    event_release(&event);
}

static inline void apply_opening(struct session *session, struct limits limits)
{
    apply_event(session, event_make(EVENT_SESSION_OPENED,
                                    &(struct session_opened){.session = "1120-214703-3f2a",
                                                             .problem = "softmax",
                                                             .agent = "builtin",
                                                             .device = "pocl",
                                                             .language = "opencl",
                                                             .repository = "/r",
                                                             .limits = limits}));
    apply_event(session, event_make(EVENT_PROBLEM_LOADED,
                                    &(struct problem_loaded){.name = "softmax", .text = ID("0")}));
}

static inline void apply_step(struct session *session, enum step_kind kind, unsigned attempt)
{
    apply_event(session,
                event_make(EVENT_STEP_PROPOSED,
                           &(struct step_proposed){.step = (unsigned)session->steps.count + 1,
                                                   .kind = kind,
                                                   .attempt = attempt,
                                                   .title = step_kind_name(kind),
                                                   .text = kind == STEP_KEEP ? NULL : ID("1")}));
}

/* Decide on the pending step; a veto has the reason "because". */
static inline void apply_decision(struct session *session, enum decision decision)
{
    apply_event(session, event_make(EVENT_STEP_DECIDED,
                                    &(struct step_decided){
                                        .step = session_pending(session)->number,
                                        .decision = decision,
                                        .reason = decision >= DECISION_VETOED ? "because" : NULL,
                                        .text = decision == DECISION_EDITED ? ID("e") : NULL}));
}

static inline void apply_reply(struct session *session, const char *task)
{
    apply_event(session, event_make(EVENT_MODEL_REPLY, &(struct model_reply){.task = task,
                                                                             .text = ID("2"),
                                                                             .has_tokens = true,
                                                                             .prompt_tokens = 100,
                                                                             .reply_tokens = 10}));
}

/* Give the last attempt a verdict; `median_us` counts only for a correct one. */
static inline void apply_verdict(struct session *session, enum outcome outcome, double median_us)
{
    apply_event(session, event_make(EVENT_EVALUATION_FINISHED,
                                    &(struct evaluation_finished){
                                        .attempt = (unsigned)session->attempts.count,
                                        .outcome = outcome,
                                        .verdict = ID("3"),
                                        .is_timed = outcome == OUTCOME_CORRECT,
                                        .median_us = median_us,
                                        .low_us = median_us * 0.999,
                                        .high_us = median_us * 1.001}));
}

static inline void apply_commit(struct session *session)
{
    apply_event(session,
                event_make(EVENT_CANDIDATE_KEPT,
                           &(struct candidate_kept){.attempt = (unsigned)session->attempts.count,
                                                    .commit = ID("c")}));
}

/*
 * Add a prompt that starts from attempt `parent`, its reply, and the candidate that is to be
 * evaluated next.
 */
static inline void apply_answer(struct session *session, unsigned parent)
{
    apply_step(session, STEP_PROMPT, parent);
    apply_decision(session, DECISION_ACCEPTED);
    apply_reply(session, "generate");
    apply_step(session, STEP_CANDIDATE, (unsigned)session->attempts.count + 1);
    apply_decision(session, DECISION_ACCEPTED);
}

/* Add a whole round with a correct candidate, and decide whether to keep it. */
static inline void apply_round(struct session *session, double median_us, enum decision keep)
{
    apply_answer(session, session->now.best);
    apply_verdict(session, OUTCOME_CORRECT, median_us);
    apply_step(session, STEP_KEEP, (unsigned)session->attempts.count);
    apply_decision(session, keep);
    if (keep == DECISION_ACCEPTED)
        apply_commit(session);
}

/* Check that the fold refuses an event that does not fit, and that the session stays unchanged. */
static inline void assert_event_refused(struct session *session, struct event event,
                                        const char *text)
{
    enum stage stage = session->now.stage;
    uint64_t events = session->events;
    struct error err = {0};

    assert_int_equal(fold_check(session, &event, NULL), STATUS_INVALID);
    event_stamp(&event, session->events + 1, "2026-11-20T21:47:03.125Z");
    assert_int_equal(fold_apply(session, &event, &err), STATUS_INVALID);
    assert_string_equal(err.text, text);
    assert_int_equal(session->now.stage, stage);
    assert_int_equal(session->events, events);
    event_release(&event);
}

#endif
