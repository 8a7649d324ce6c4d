#ifndef TESTS_UNIT_PLAY_H
#define TESTS_UNIT_PLAY_H

#include "core/session/state/fold.h"
#include "tests/unit/unit.h"

#include "core/session/state/session.h"

/* Builders of a session in memory: each applies the events that a journal would hold. */

#define ID(digit)                                                                                 \
    digit digit digit digit digit digit digit digit digit digit digit digit digit digit digit     \
        digit digit digit digit digit digit digit digit digit digit digit digit digit digit digit \
            digit digit digit digit digit digit digit digit digit digit

/* Apply an event; fail the test when it does not fit. */
static inline void play(struct session *session, struct event event)
{
    struct error err = {0};

    event_stamp(&event, session->events + 1, "2026-11-20T21:47:03.125Z");
    if (fold_apply(session, &event, &err))
        fail_msg("%s", err.text);
    event_release(&event);
}

static inline void play_opening(struct session *session, struct limits limits)
{
    play(session, event_session_opened(&(struct session_opened){.session = "1120-214703-3f2a",
                                                                .problem = "softmax",
                                                                .agent = "builtin",
                                                                .device = "pocl",
                                                                .language = "opencl",
                                                                .repository = "/r",
                                                                .limits = limits}));
    play(session,
         event_problem_loaded(&(struct problem_loaded){.name = "softmax", .text = ID("0")}));
}

static inline void play_step(struct session *session, enum step_kind kind, unsigned attempt)
{
    play(session,
         event_step_proposed(&(struct step_proposed){.step = (unsigned)session->steps.count + 1,
                                                     .kind = kind,
                                                     .attempt = attempt,
                                                     .title = step_kind_name(kind),
                                                     .text = kind == STEP_KEEP ? NULL : ID("1")}));
}

/* Decide on the pending step; a veto has the reason "because". */
static inline void play_decision(struct session *session, enum decision decision)
{
    play(session, event_step_decided(&(struct step_decided){
                      .step = session_pending(session)->number,
                      .decision = decision,
                      .reason = decision >= DECISION_VETOED ? "because" : NULL,
                      .text = decision == DECISION_EDITED ? ID("e") : NULL}));
}

static inline void play_reply(struct session *session, const char *task)
{
    play(session, event_model_reply(&(struct model_reply){.task = task,
                                                          .text = ID("2"),
                                                          .has_tokens = true,
                                                          .prompt_tokens = 100,
                                                          .reply_tokens = 10}));
}

/* Give the last attempt a verdict; `median_us` counts only for a correct one. */
static inline void play_verdict(struct session *session, enum outcome outcome, double median_us)
{
    play(session, event_evaluation_finished(
                      &(struct evaluation_finished){.attempt = (unsigned)session->attempts.count,
                                                    .outcome = outcome,
                                                    .verdict = ID("3"),
                                                    .is_timed = outcome == OUTCOME_CORRECT,
                                                    .median_us = median_us,
                                                    .low_us = median_us * 0.999,
                                                    .high_us = median_us * 1.001}));
}

static inline void play_commit(struct session *session)
{
    play(session, event_candidate_kept(&(struct candidate_kept){
                      .attempt = (unsigned)session->attempts.count, .commit = ID("c")}));
}

/*
 * Add a prompt that starts from attempt `parent`, its reply, and the candidate that is to be
 * evaluated next.
 */
static inline void play_answer(struct session *session, unsigned parent)
{
    play_step(session, STEP_PROMPT, parent);
    play_decision(session, DECISION_ACCEPTED);
    play_reply(session, "generate");
    play_step(session, STEP_CANDIDATE, (unsigned)session->attempts.count + 1);
    play_decision(session, DECISION_ACCEPTED);
}

/* Add a whole round with a correct candidate, and decide whether to keep it. */
static inline void play_round(struct session *session, double median_us, enum decision keep)
{
    play_answer(session, session->now.best);
    play_verdict(session, OUTCOME_CORRECT, median_us);
    play_step(session, STEP_KEEP, (unsigned)session->attempts.count);
    play_decision(session, keep);
    if (keep == DECISION_ACCEPTED)
        play_commit(session);
}

#endif
