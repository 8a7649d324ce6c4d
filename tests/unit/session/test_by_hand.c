#include "tests/unit/session_events.h"

#include "core/session/state/engine.h"
#include "core/session/state/round.h"

/* Tests attempts that the engineer saves from an editor. */

static void apply_save(struct session *session, unsigned edits)
{
    apply_event(session,
                event_make(EVENT_STEP_PROPOSED,
                           &(struct step_proposed){.step = (unsigned)session->steps.count + 1,
                                                   .kind = STEP_CANDIDATE,
                                                   .attempt = (unsigned)session->attempts.count + 1,
                                                   .title = "edited by hand",
                                                   .text = ID("5"),
                                                   .is_by_hand = true,
                                                   .edits = edits}));
    apply_decision(session, DECISION_ACCEPTED);
}

/* A session whose first candidate is correct and waits to be kept. */
static void apply_to_keep_gate(struct session *session)
{
    apply_opening(session, roomy);
    apply_step(session, STEP_PROMPT, 0);
    apply_decision(session, DECISION_ACCEPTED);
    apply_reply(session, "generate");
    apply_step(session, STEP_CANDIDATE, 1);
    apply_decision(session, DECISION_ACCEPTED);
    apply_verdict(session, OUTCOME_CORRECT, 100);
    apply_step(session, STEP_KEEP, 1);
}

static void a_save_is_an_attempt_of_the_engineer(void **state)
{
    struct session s = {0};

    (void)state;
    apply_to_keep_gate(&s);
    apply_save(&s, 1);
    assert_int_equal(s.now.stage, STAGE_EVALUATE);
    assert_int_equal(s.attempts.items[1].origin, ORIGIN_ENGINEER);
    assert_int_equal(s.attempts.items[1].parent, 1);
    assert_string_equal(s.attempts.items[1].candidate, ID("5"));
    assert_int_equal(s.steps.items[2].decision, DECISION_EDITED);
    assert_int_equal(s.now.optimize_attempts + s.now.functional_attempts, 1);
    session_release(&s);
}

/* A version that fails must not cost the candidate that was to be kept. */
static void a_save_that_fails_leaves_the_best_to_be_kept(void **state)
{
    struct session s = {0};

    (void)state;
    apply_to_keep_gate(&s);
    apply_save(&s, 1);
    apply_verdict(&s, OUTCOME_BUILD_FAILED, 0);
    assert_int_equal(engine_next(&s), ACTION_PROPOSE_KEEP);
    assert_int_equal(session_subject(&s)->number, 1);
    apply_save(&s, 2);
    apply_verdict(&s, OUTCOME_CORRECT, 50);
    assert_int_equal(engine_next(&s), ACTION_PROPOSE_KEEP);
    assert_int_equal(session_subject(&s)->number, 3);
    session_release(&s);
}

static void a_save_replaces_the_evaluation_of_the_one_before(void **state)
{
    struct session s = {0};

    (void)state;
    apply_to_keep_gate(&s);
    apply_save(&s, 1);
    assert_true(round_takes_by_hand(&s));
    apply_save(&s, 1);
    apply_verdict(&s, OUTCOME_WRONG_VALUES, 0);
    assert_false(s.attempts.items[1].is_evaluated);
    assert_true(s.attempts.items[2].is_evaluated);
    session_release(&s);
}

/* Saves are no rounds of the agent: they end no session that gains nothing for a while. */
static void saves_are_not_flat_rounds(void **state)
{
    struct session s = {0};

    (void)state;
    apply_to_keep_gate(&s);
    apply_decision(&s, DECISION_VETOED);
    assert_int_equal(s.now.flat_rounds, 1);
    for (unsigned i = 0; i < 3; i++) {
        apply_save(&s, 1);
        apply_verdict(&s, OUTCOME_BUILD_FAILED, 0);
        assert_int_equal(s.now.stage, STAGE_ROUND_END);
    }
    assert_int_equal(s.now.flat_rounds, 1);
    session_release(&s);
}

static void a_save_sets_a_waiting_recommendation_aside(void **state)
{
    struct session s = {0};

    (void)state;
    apply_to_keep_gate(&s);
    apply_decision(&s, DECISION_VETOED);
    apply_reply(&s, "analyse");
    apply_step(&s, STEP_RECOMMENDATION, 1);
    apply_save(&s, 1);
    assert_int_equal(s.steps.items[3].decision, DECISION_VETOED);
    assert_int_equal(s.now.recommendation, 0);
    apply_verdict(&s, OUTCOME_BUILD_FAILED, 0);
    assert_int_equal(s.now.stage, STAGE_ROUND_END);
    session_release(&s);
}

static void a_save_does_not_disturb_the_agents_candidate(void **state)
{
    struct session s = {0};
    struct error err = {0};
    struct event event;

    (void)state;
    apply_to_keep_gate(&s);
    apply_decision(&s, DECISION_ACCEPTED);
    event = event_make(EVENT_STEP_PROPOSED, &(struct step_proposed){.step = 4,
                                                                    .kind = STEP_CANDIDATE,
                                                                    .attempt = 2,
                                                                    .title = "t",
                                                                    .text = ID("5"),
                                                                    .is_by_hand = true,
                                                                    .edits = 1});
    assert_false(round_takes_by_hand(&s)); /* the commit comes first */
    assert_int_equal(fold_check(&s, &event, &err), STATUS_INVALID);
    event_release(&event);
    session_release(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_save_is_an_attempt_of_the_engineer),
        cmocka_unit_test(a_save_that_fails_leaves_the_best_to_be_kept),
        cmocka_unit_test(a_save_replaces_the_evaluation_of_the_one_before),
        cmocka_unit_test(saves_are_not_flat_rounds),
        cmocka_unit_test(a_save_sets_a_waiting_recommendation_aside),
        cmocka_unit_test(a_save_does_not_disturb_the_agents_candidate),
    };

    return cmocka_run_group_tests_name("by_hand", tests, NULL, NULL);
}
