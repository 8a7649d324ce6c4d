#include "tests/unit/session_events.h"

#include <stdlib.h>

#include "core/session/state/notes.h"

/* Tests decisions in a session: edited, vetoed, undone and retried steps, and policies. */

/* `first` NULL: any text. */
static void assert_notes(const struct session *session, size_t count, const char *first)
{
    size_t found;
    const char **notes = notes_texts(session, &found);

    assert_int_equal(found, count);
    if (first)
        assert_string_equal(notes[0], first);
    free(notes);
}

static void an_edited_candidate_is_an_attempt_of_the_engineer(void **state)
{
    struct session s = {0};
    const struct attempt *edit;

    (void)state;
    apply_opening(&s, roomy);
    apply_step(&s, STEP_PROMPT, 0);
    apply_decision(&s, DECISION_EDITED);
    apply_reply(&s, "generate");
    apply_step(&s, STEP_CANDIDATE, 1);
    apply_decision(&s, DECISION_EDITED);
    assert_int_equal(s.now.stage, STAGE_EVALUATE);
    edit = session_last_attempt(&s);
    assert_int_equal(edit->number, 2);
    assert_int_equal(edit->parent, 1);
    assert_int_equal(edit->origin, ORIGIN_ENGINEER);
    assert_string_equal(edit->candidate, ID("e"));
    assert_string_equal(edit->prompt, ID("e"));
    assert_string_equal(session_attempt(&s, 1)->candidate, ID("1"));
    assert_false(session_attempt(&s, 1)->is_evaluated);
    assert_int_equal(s.now.functional_attempts, 1);
    session_release(&s);
}

static void an_edited_recommendation_is_named_by_its_change(void **state)
{
    struct session s = {0};

    (void)state;
    apply_opening(&s, roomy);
    apply_round(&s, 100, DECISION_ACCEPTED);
    apply_reply(&s, "analyse");
    apply_event(&s,
                event_make(EVENT_STEP_PROPOSED, &(struct step_proposed){.step = 4,
                                                                        .kind = STEP_RECOMMENDATION,
                                                                        .attempt = 1,
                                                                        .title = "wider loads",
                                                                        .text = ID("1"),
                                                                        .change = "vec: 4 -> 8"}));
    assert_string_equal(session_step_title(session_step(&s, 4)), "wider loads");
    apply_event(&s,
                event_make(EVENT_STEP_DECIDED, &(struct step_decided){.step = 4,
                                                                      .decision = DECISION_EDITED,
                                                                      .text = ID("e"),
                                                                      .change = "vec: 4 -> 2"}));
    assert_string_equal(session_step_title(session_step(&s, 4)), "vec: 4 -> 2");
    session_release(&s);
}

static void editing_at_the_keep_gate_evaluates_again(void **state)
{
    struct session s = {0};

    (void)state;
    apply_opening(&s, roomy);
    apply_round(&s, 100, DECISION_EDITED);
    assert_int_equal(s.now.stage, STAGE_EVALUATE);
    assert_int_equal(session_last_attempt(&s)->parent, 1);
    apply_verdict(&s, OUTCOME_CORRECT, 90);
    apply_step(&s, STEP_KEEP, 2);
    apply_decision(&s, DECISION_ACCEPTED);
    apply_commit(&s);
    assert_int_equal(s.now.best, 2);
    assert_false(session_attempt(&s, 1)->is_kept);
    session_release(&s);
}

static void vetoes_become_notes_until_the_next_prompt(void **state)
{
    struct session s = {0};

    (void)state;
    apply_opening(&s, roomy);
    apply_step(&s, STEP_PROMPT, 0);
    apply_decision(&s, DECISION_VETOED);
    assert_int_equal(s.now.stage, STAGE_ROUND_END);
    assert_notes(&s, 1, "because");
    apply_event(&s, event_make(EVENT_NOTE, &(struct note){"use local memory"}));
    assert_notes(&s, 2, NULL);
    apply_step(&s, STEP_PROMPT, 0);
    assert_notes(&s, 0, NULL);
    apply_decision(&s, DECISION_ACCEPTED);
    apply_reply(&s, "generate");
    apply_step(&s, STEP_CANDIDATE, 1);
    apply_decision(&s, DECISION_VETOED);
    assert_int_equal(s.now.stage, STAGE_ROUND_END);
    assert_notes(&s, 1, NULL);
    assert_false(session_attempt(&s, 1)->is_evaluated);
    assert_int_equal(session_attempt(&s, 1)->outcome, OUTCOME_NONE);
    session_release(&s);
}

static void advice_is_followed_by_the_next_answer_alone(void **state)
{
    struct session s = {0};

    (void)state;
    apply_opening(&s, roomy);
    apply_round(&s, 100, DECISION_ACCEPTED);
    apply_reply(&s, "analyse");
    apply_step(&s, STEP_RECOMMENDATION, 1);
    apply_decision(&s, DECISION_EDITED);
    assert_int_equal(s.now.recommendation, 4);
    assert_string_equal(session_step_text(session_step(&s, s.now.recommendation)), ID("e"));
    apply_step(&s, STEP_PROMPT, 1);
    apply_decision(&s, DECISION_VETOED);
    assert_int_equal(s.now.recommendation, 4);
    apply_answer(&s, 1);
    assert_int_equal(session_last_attempt(&s)->recommendation, 4);
    assert_int_equal(session_last_attempt(&s)->parent, 1);
    assert_int_equal(s.now.recommendation, 0);
    session_release(&s);
}

static void vetoed_advice_is_not_followed(void **state)
{
    struct session s = {0};

    (void)state;
    apply_opening(&s, roomy);
    apply_round(&s, 100, DECISION_ACCEPTED);
    apply_reply(&s, "analyse");
    apply_step(&s, STEP_RECOMMENDATION, 1);
    apply_decision(&s, DECISION_VETOED);
    assert_int_equal(s.now.recommendation, 0);
    assert_notes(&s, 1, NULL);
    assert_int_equal(s.now.stage, STAGE_ROUND_END);
    assert_event_refused(
        &s,
        event_make(EVENT_MODEL_REPLY, &(struct model_reply){.task = "analyse", .text = ID("2")}),
        "event 15 (model.reply): there is nothing to analyse");
    session_release(&s);
}

static void undo(struct session *session)
{
    apply_event(session,
                event_make(EVENT_STEP_UNDONE, &(struct step_undone){session_undoable(session)}));
}

static void redo(struct session *session)
{
    apply_event(session,
                event_make(EVENT_STEP_REDONE, &(struct step_redone){session_redoable(session)}));
}

static void a_kept_candidate_goes_back_to_the_gate_and_forward_again(void **state)
{
    struct session s = {0};

    (void)state;
    apply_opening(&s, roomy);
    apply_round(&s, 100, DECISION_ACCEPTED);
    apply_round(&s, 50, DECISION_ACCEPTED);
    apply_reply(&s, "analyse");
    apply_step(&s, STEP_RECOMMENDATION, 2);
    undo(&s);
    assert_int_equal(s.now.stage, STAGE_KEEP_GATE);
    assert_int_equal(session_pending(&s)->number, 6);
    assert_true(s.now.is_held);
    assert_true(session_step(&s, 7)->is_undone);
    assert_int_equal(session_tip(&s)->number, 1);
    assert_int_equal(s.now.best, 1);
    assert_int_equal(s.prompt_tokens, 300);
    redo(&s);
    assert_int_equal(s.now.stage, STAGE_RECOMMEND_GATE);
    assert_int_equal(session_pending(&s)->number, 7);
    assert_int_equal(session_step(&s, 6)->decision, DECISION_ACCEPTED);
    assert_int_equal(session_tip(&s)->number, 2);
    assert_int_equal(s.now.best, 2);
    assert_int_equal(session_redoable(&s), 0);
    session_release(&s);
}

static void another_decision_replaces_the_undone_one(void **state)
{
    struct session s = {0};

    (void)state;
    apply_opening(&s, roomy);
    apply_round(&s, 100, DECISION_ACCEPTED);
    apply_step(&s, STEP_PROMPT, 1);
    apply_decision(&s, DECISION_ACCEPTED);
    apply_reply(&s, "generate");
    apply_step(&s, STEP_CANDIDATE, 2);
    undo(&s);
    undo(&s);
    assert_int_equal(session_pending(&s)->number, 3);
    redo(&s);
    assert_int_equal(session_pending(&s)->number, 4);
    apply_decision(&s, DECISION_VETOED);
    assert_int_equal(session_redoable(&s), 0);
    apply_step(&s, STEP_PROMPT, 1);
    assert_int_equal(session_pending(&s)->number, 6);
    assert_true(session_step(&s, 5)->is_undone);
    assert_true(session_attempt(&s, 2)->is_undone);
    assert_int_equal(session_last_attempt(&s)->number, 1);
    apply_decision(&s, DECISION_ACCEPTED);
    apply_reply(&s, "generate");
    apply_step(&s, STEP_CANDIDATE, 3);
    assert_int_equal(session_last_attempt(&s)->parent, 1);
    assert_event_refused(&s, event_make(EVENT_STEP_REDONE, &(struct step_redone){4}),
                         "event 24 (step.redone): no decision was undone");
    session_release(&s);
}

static void the_reason_of_an_undone_decision_is_not_said(void **state)
{
    struct session s = {0};

    (void)state;
    apply_opening(&s, roomy);
    apply_event(&s, event_make(EVENT_NOTE, &(struct note){"use local memory"}));
    apply_step(&s, STEP_PROMPT, 0);
    apply_decision(&s, DECISION_VETOED);
    assert_notes(&s, 1, "because");
    undo(&s);
    assert_notes(&s, 0, NULL);
    apply_decision(&s, DECISION_VETOED);
    assert_notes(&s, 1, "because");
    session_release(&s);
}

static void a_retry_asks_the_same_again_and_does_not_count(void **state)
{
    struct session s = {0};

    (void)state;
    apply_opening(&s, roomy);
    apply_round(&s, 100, DECISION_ACCEPTED);
    apply_reply(&s, "analyse");
    apply_step(&s, STEP_RECOMMENDATION, 1);
    apply_decision(&s, DECISION_RETRIED);
    assert_int_equal(s.now.analysed, 0);
    assert_int_equal(s.now.recommendation, 0);
    apply_reply(&s, "analyse");
    apply_step(&s, STEP_RECOMMENDATION, 1);
    apply_decision(&s, DECISION_ACCEPTED);
    apply_answer(&s, 1);
    apply_verdict(&s, OUTCOME_CORRECT, 90);
    apply_step(&s, STEP_KEEP, 2);
    assert_int_equal(s.now.optimize_attempts, 1);
    apply_decision(&s, DECISION_RETRIED);
    assert_int_equal(s.now.optimize_attempts, 0);
    assert_int_equal(s.now.flat_rounds, 0);
    assert_int_equal(s.now.recommendation, 5);
    assert_true(s.now.is_retry);
    assert_int_equal(s.now.retry_from, 1);
    assert_notes(&s, 1, "because");
    session_release(&s);
}

static void policy_changes_while_running(void **state)
{
    struct session s = {0};

    (void)state;
    apply_opening(&s, roomy);
    assert_int_equal(s.gate.modes[STEP_KEEP], GATE_AUTO);
    apply_event(&s,
                event_make(EVENT_POLICY_CHANGED, &(struct policy_changed){STEP_KEEP, GATE_ASK}));
    assert_int_equal(s.gate.modes[STEP_KEEP], GATE_ASK);
    assert_int_equal(s.gate.modes[STEP_PROMPT], GATE_AUTO);
    session_release(&s);
}

static void presets_name_who_decides(void **state)
{
    struct gate gate;

    (void)state;
    assert_true(gate_preset("guided", &gate));
    assert_int_equal(gate.modes[STEP_KEEP], GATE_ASK);
    assert_int_equal(gate.modes[STEP_RECOMMENDATION], GATE_ASK);
    assert_int_equal(gate.modes[STEP_PROMPT], GATE_AUTO);
    assert_true(gate_preset("manual", &gate));
    assert_int_equal(gate.modes[STEP_PROMPT], GATE_ASK);
    assert_false(gate_preset("reckless", &gate));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_edited_candidate_is_an_attempt_of_the_engineer),
        cmocka_unit_test(an_edited_recommendation_is_named_by_its_change),
        cmocka_unit_test(editing_at_the_keep_gate_evaluates_again),
        cmocka_unit_test(vetoes_become_notes_until_the_next_prompt),
        cmocka_unit_test(advice_is_followed_by_the_next_answer_alone),
        cmocka_unit_test(vetoed_advice_is_not_followed),
        cmocka_unit_test(a_kept_candidate_goes_back_to_the_gate_and_forward_again),
        cmocka_unit_test(another_decision_replaces_the_undone_one),
        cmocka_unit_test(the_reason_of_an_undone_decision_is_not_said),
        cmocka_unit_test(a_retry_asks_the_same_again_and_does_not_count),
        cmocka_unit_test(policy_changes_while_running),
        cmocka_unit_test(presets_name_who_decides),
    };

    return cmocka_run_group_tests_name("decisions", tests, NULL, NULL);
}
