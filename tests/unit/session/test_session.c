#include "tests/unit/session_events.h"

#include <stdlib.h>

#include "core/session/state/engine.h"
#include "core/session/state/round.h"

static void a_kept_candidate_becomes_the_best(void **state)
{
    struct session s = {0};

    (void)state;
    apply_opening(&s, roomy);
    assert_int_equal(s.now.stage, STAGE_PROMPT);
    apply_round(&s, 100, DECISION_ACCEPTED);
    assert_int_equal(s.now.stage, STAGE_ROUND_END);
    assert_int_equal(s.now.best, 1);
    assert_true(s.attempts.items[0].is_kept);
    assert_string_equal(s.attempts.items[0].commit, ID("c"));
    apply_round(&s, 50, DECISION_ACCEPTED);
    assert_int_equal(s.now.best, 2);
    assert_true(session_attempt(&s, 2)->gain == 2);
    apply_round(&s, 80, DECISION_ACCEPTED);
    assert_int_equal(s.now.best, 2);
    assert_int_equal(s.now.flat_rounds, 1);
    assert_int_equal(s.prompt_tokens, 300);
    session_release(&s);
}

static void a_gain_measured_in_turn_outranks_the_times(void **state)
{
    struct session s = {0};

    (void)state;
    apply_opening(&s, roomy);
    apply_round(&s, 100, DECISION_ACCEPTED);
    apply_answer(&s, 1);
    apply_event(&s, event_make(EVENT_EVALUATION_FINISHED,
                               &(struct evaluation_finished){.attempt = 2,
                                                             .outcome = OUTCOME_CORRECT,
                                                             .is_timed = true,
                                                             .median_us = 101,
                                                             .low_us = 100,
                                                             .high_us = 102,
                                                             .has_gain = true,
                                                             .gain = 1.08,
                                                             .gain_low = 1.06}));
    apply_step(&s, STEP_KEEP, 2);
    apply_decision(&s, DECISION_ACCEPTED);
    apply_commit(&s);
    assert_int_equal(s.now.best, 2);
    assert_int_equal(s.now.flat_rounds, 0);
    session_release(&s);
}

static void only_a_correct_candidate_can_be_kept(void **state)
{
    static const enum outcome broken[] = {OUTCOME_SUSPECT, OUTCOME_WRONG_VALUES,
                                          OUTCOME_BUILD_FAILED};

    (void)state;
    for (size_t i = 0; i < sizeof(broken) / sizeof(*broken); i++) {
        struct session s = {0};

        apply_opening(&s, roomy);
        apply_answer(&s, 0);
        apply_verdict(&s, broken[i], 0);
        assert_int_equal(s.now.stage, STAGE_ROUND_END);
        assert_event_refused(
            &s,
            event_make(
                EVENT_STEP_PROPOSED,
                &(struct step_proposed){.step = 3, .kind = STEP_KEEP, .attempt = 1, .title = "k"}),
            "event 9 (step.proposed): cannot follow here: expected the next prompt, an analysis "
            "or the end");
        session_release(&s);
    }
}

static void advice_may_be_about_an_earlier_attempt(void **state)
{
    struct session s = {0};

    (void)state;
    apply_opening(&s, roomy);
    apply_round(&s, 100, DECISION_ACCEPTED);
    apply_round(&s, 120, DECISION_VETOED);
    apply_reply(&s, "analyse");
    apply_step(&s, STEP_RECOMMENDATION, 1);
    assert_int_equal(s.now.analysed, 2);
    assert_int_equal(session_pending(&s)->attempt, 1);
    session_release(&s);
}

static void a_bad_reply_is_an_attempt(void **state)
{
    struct session s = {0};
    const struct attempt *attempt;

    (void)state;
    apply_opening(&s, roomy);
    apply_step(&s, STEP_PROMPT, 0);
    apply_decision(&s, DECISION_ACCEPTED);
    apply_reply(&s, "generate");
    assert_string_equal(s.arrived[0].text, ID("2"));
    apply_event(&s, event_make(EVENT_EVALUATION_FINISHED,
                               &(struct evaluation_finished){.attempt = 1,
                                                             .outcome = OUTCOME_BAD_REPLY,
                                                             .detail = "no kernel block"}));
    attempt = session_last_attempt(&s);
    assert_int_equal(attempt->outcome, OUTCOME_BAD_REPLY);
    assert_string_equal(attempt->candidate, ID("2"));
    assert_string_equal(attempt->detail, "no kernel block");
    assert_int_equal(s.now.reply_count, 0);
    assert_int_equal(s.now.stage, STAGE_ROUND_END);
    session_release(&s);
}

static void events_that_do_not_fit_are_refused(void **state)
{
    struct session s = {0};
    struct event late = event_make(EVENT_NOTE, &(struct note){"t"});
    struct error err = {0};

    (void)state;
    assert_event_refused(&s, event_make(EVENT_NOTE, &(struct note){"t"}),
                         "event 1 (note): session.opened must be the first event of a session, "
                         "and only the first");
    apply_opening(&s, roomy);
    assert_event_refused(
        &s,
        event_make(EVENT_PROBLEM_LOADED, &(struct problem_loaded){.name = "p", .text = ID("0")}),
        "event 3 (problem.loaded): cannot follow here: expected the proposal of a prompt");
    assert_event_refused(
        &s,
        event_make(EVENT_STEP_PROPOSED,
                   &(struct step_proposed){.step = 2, .title = "t", .text = ID("1")}),
        "event 3 (step.proposed): is about step 2, expected 1");
    assert_event_refused(
        &s,
        event_make(EVENT_STEP_PROPOSED,
                   &(struct step_proposed){.step = 1, .attempt = 1, .title = "t", .text = ID("1")}),
        "event 3 (step.proposed): is about attempt 1, expected 0");
    apply_step(&s, STEP_PROMPT, 0);
    assert_event_refused(&s, event_make(EVENT_STEP_DECIDED, &(struct step_decided){.step = 1}),
                         "event 4 (step.decided): has no decision");
    assert_event_refused(&s,
                         event_make(EVENT_STEP_DECIDED,
                                    &(struct step_decided){.step = 1, .decision = DECISION_EDITED}),
                         "event 4 (step.decided): has no edited text");
    assert_event_refused(&s,
                         event_make(EVENT_STEP_DECIDED,
                                    &(struct step_decided){.step = 9, .decision = DECISION_VETOED}),
                         "event 4 (step.decided): is about step 9, expected 1");
    apply_decision(&s, DECISION_ACCEPTED);
    assert_event_refused(&s,
                         event_make(EVENT_STEP_DECIDED,
                                    &(struct step_decided){.step = 1, .decision = DECISION_VETOED}),
                         "event 5 (step.decided): cannot follow here: expected the agent's reply");
    assert_event_refused(
        &s,
        event_make(EVENT_MODEL_REPLY, &(struct model_reply){.task = "analyse", .text = ID("2")}),
        "event 5 (model.reply): cannot follow here: expected the agent's reply");
    event_stamp(&late, 9, "2026-11-20T21:47:03.125Z");
    assert_int_equal(fold_apply(&s, &late, &err), STATUS_INVALID);
    assert_string_equal(err.text, "event 9 (note): expected event 5");
    event_release(&late);
    apply_event(&s,
                event_make(EVENT_SESSION_CLOSED, &(struct session_closed){.reason = "asked to"}));
    assert_string_equal(s.closed_because, "asked to");
    assert_event_refused(
        &s, event_make(EVENT_NOTE, &(struct note){"t"}),
        "event 6 (note): cannot follow here: expected nothing: the session is closed");
    session_release(&s);
}

static void a_tag_stays_until_another_comes(void **state)
{
    struct session s = {0};

    (void)state;
    apply_opening(&s, roomy);
    apply_round(&s, 100, DECISION_ACCEPTED);
    apply_event(&s, event_make(EVENT_CANDIDATE_TAGGED, &(struct candidate_tagged){1, "wide"}));
    assert_string_equal(session_attempt(&s, 1)->tag, "wide");
    apply_event(&s, event_make(EVENT_CANDIDATE_TAGGED, &(struct candidate_tagged){1, ""}));
    assert_null(session_attempt(&s, 1)->tag);
    session_release(&s);
}

static void the_best_of_a_round_is_proposed(void **state)
{
    const struct attempt *answers[ROUND_ATTEMPTS];
    struct session s = {0};

    (void)state;
    apply_opening(&s, (struct limits){.functional = 9, .optimize = 9, .attempts = 3});
    apply_step(&s, STEP_PROMPT, 0);
    apply_decision(&s, DECISION_ACCEPTED);
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(s.now.stage, STAGE_GENERATE);
        apply_reply(&s, "generate");
    }
    for (unsigned i = 1; i <= 3; i++) {
        assert_int_equal(s.now.stage, STAGE_CANDIDATE);
        apply_step(&s, STEP_CANDIDATE, i);
        apply_decision(&s, DECISION_ACCEPTED);
        apply_verdict(&s, i == 3 ? OUTCOME_WRONG_VALUES : OUTCOME_CORRECT, 100.0 * i);
    }
    assert_int_equal(s.now.stage, STAGE_KEEP);
    assert_int_equal(session_subject(&s)->number, 1);
    assert_int_equal(s.now.functional_attempts, 3);
    assert_int_equal(s.now.optimize_attempts, 0);
    assert_int_equal(round_attempts(&s, session_attempt(&s, 2), answers), 3);
    for (unsigned i = 0; i < 3; i++) {
        assert_ptr_equal(answers[i], session_attempt(&s, i + 1));
        assert_int_equal(answers[i]->asked_by, 1);
        assert_false(answers[i]->is_chosen);
    }
    apply_step(&s, STEP_KEEP, 1);
    assert_true(s.attempts.items[0].is_chosen);
    apply_decision(&s, DECISION_RETRIED);
    assert_int_equal(s.now.functional_attempts, 0);
    session_release(&s);
}

/* A round of two answers, up to the proposal of the better one. */
static void apply_two_answers(struct session *session, const struct evaluation_finished verdicts[2])
{
    apply_step(session, STEP_PROMPT, session->now.best);
    apply_decision(session, DECISION_ACCEPTED);
    apply_reply(session, "generate");
    apply_reply(session, "generate");
    for (unsigned i = 0; i < 2; i++) {
        struct evaluation_finished finished = verdicts[i];

        finished.attempt = (unsigned)session->attempts.count + 1;
        finished.outcome = OUTCOME_CORRECT;
        finished.verdict = ID("3");
        finished.is_timed = true;
        apply_step(session, STEP_CANDIDATE, finished.attempt);
        apply_decision(session, DECISION_ACCEPTED);
        apply_event(session, event_make(EVENT_EVALUATION_FINISHED, &finished));
    }
    assert_int_equal(session->now.stage, STAGE_KEEP);
    apply_step(session, STEP_KEEP, session_subject(session)->number);
}

/* The machine is slower when it times the last answer, which has the larger gain. */
static void the_best_of_a_round_has_the_largest_gain(void **state)
{
    static const struct evaluation_finished rounds[2][2] = {
        {{.median_us = 200, .low_us = 199, .high_us = 201},
         {.median_us = 100, .low_us = 99, .high_us = 101}},
        {{.median_us = 90, .low_us = 89, .high_us = 91, .has_gain = true, .gain = 1.1},
         {.median_us = 110, .low_us = 109, .high_us = 111, .has_gain = true, .gain = 1.3}},
    };
    struct session s = {0};

    (void)state;
    apply_opening(&s, (struct limits){.functional = 9, .optimize = 9, .attempts = 2});
    apply_two_answers(&s, rounds[0]);
    assert_int_equal(session_subject(&s)->number, 2);
    apply_decision(&s, DECISION_ACCEPTED);
    apply_commit(&s);
    apply_two_answers(&s, rounds[1]);
    assert_int_equal(session_subject(&s)->number, 4);
    session_release(&s);
}

static void a_round_keeps_to_the_limit(void **state)
{
    struct session s = {0};

    (void)state;
    apply_opening(&s, (struct limits){.functional = 2, .attempts = 5});
    apply_step(&s, STEP_PROMPT, 0);
    apply_decision(&s, DECISION_ACCEPTED);
    apply_reply(&s, "generate");
    assert_int_equal(s.now.stage, STAGE_GENERATE);
    apply_reply(&s, "generate");
    assert_int_equal(s.now.stage, STAGE_CANDIDATE);
    session_release(&s);
}

static void an_attachment_is_for_the_next_analysis(void **state)
{
    struct session s = {0};

    (void)state;
    apply_opening(&s, roomy);
    apply_round(&s, 100, DECISION_ACCEPTED);
    apply_event(&s, event_make(EVENT_ATTACHMENT, &(struct attachment){.name = "profiler.png",
                                                                      .media_type = "image/png",
                                                                      .text = ID("f")}));
    assert_int_equal(s.attachments.count - s.now.first_attachment, 1);
    assert_string_equal(s.attachments.items[0].blob, ID("f"));
    apply_reply(&s, "analyse");
    assert_int_equal(s.attachments.count - s.now.first_attachment, 0);
    session_release(&s);
}

/* A reference that is a candidate is judged once, before the first prompt. */
static void a_reference_is_judged_before_the_first_prompt(void **state)
{
    struct session s = {0};

    (void)state;
    apply_event(
        &s, event_make(EVENT_SESSION_OPENED, &(struct session_opened){.session = "1120-214703-3f2a",
                                                                      .problem = "softmax",
                                                                      .agent = "builtin",
                                                                      .device = "pocl",
                                                                      .language = "opencl",
                                                                      .repository = "/r",
                                                                      .limits = roomy,
                                                                      .reference = ID("a"),
                                                                      .reference_name = "fast.md",
                                                                      .reference_reply = ID("b"),
                                                                      .reference_language = "c"}));
    apply_event(&s, event_make(EVENT_PROBLEM_LOADED,
                               &(struct problem_loaded){.name = "softmax", .text = ID("0")}));
    assert_int_equal(engine_next(&s), ACTION_JUDGE_REFERENCE);
    apply_event(&s, event_make(EVENT_REFERENCE_JUDGED,
                               &(struct reference_judged){.outcome = OUTCOME_CORRECT,
                                                          .detail = "7 us",
                                                          .verdict = ID("c"),
                                                          .is_timed = true,
                                                          .median_us = 7}));
    assert_int_equal(engine_next(&s), ACTION_PROPOSE_PROMPT);
    assert_int_equal(s.reference_result.outcome, OUTCOME_CORRECT);
    assert_string_equal(s.reference_result.detail, "7 us");
    assert_true(s.reference_result.median_us > 6.9 && s.reference_result.median_us < 7.1);
    session_release(&s);
}

/* The engine asks for a picture of each correct attempt once, before the step that keeps it. */
static void a_correct_attempt_is_pictured_before_it_is_kept(void **state)
{
    struct session s = {0};

    (void)state;
    apply_opening(&s, roomy);
    s.picture = "kcachegrind";
    apply_answer(&s, 0);
    assert_int_equal(engine_next(&s), ACTION_EVALUATE);
    apply_verdict(&s, OUTCOME_CORRECT, 100);
    assert_int_equal(engine_next(&s), ACTION_TAKE_PICTURE);
    apply_event(&s,
                event_make(EVENT_PICTURE_TAKEN, &(struct picture_taken){.attempt = 1,
                                                                        .name = "k.png",
                                                                        .media_type = "image/png",
                                                                        .text = ID("f")}));
    assert_int_equal(engine_next(&s), ACTION_PROPOSE_KEEP);
    assert_string_equal(s.attempts.items[0].picture, ID("f"));
    session_release(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_kept_candidate_becomes_the_best),
        cmocka_unit_test(a_gain_measured_in_turn_outranks_the_times),
        cmocka_unit_test(only_a_correct_candidate_can_be_kept),
        cmocka_unit_test(advice_may_be_about_an_earlier_attempt),
        cmocka_unit_test(a_bad_reply_is_an_attempt),
        cmocka_unit_test(events_that_do_not_fit_are_refused),
        cmocka_unit_test(a_tag_stays_until_another_comes),
        cmocka_unit_test(the_best_of_a_round_is_proposed),
        cmocka_unit_test(the_best_of_a_round_has_the_largest_gain),
        cmocka_unit_test(a_round_keeps_to_the_limit),
        cmocka_unit_test(an_attachment_is_for_the_next_analysis),
        cmocka_unit_test(a_reference_is_judged_before_the_first_prompt),
        cmocka_unit_test(a_correct_attempt_is_pictured_before_it_is_kept),
    };

    return cmocka_run_group_tests_name("session", tests, NULL, NULL);
}
