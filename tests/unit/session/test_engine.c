#include "tests/unit/session_events.h"

#include <string.h>

#include "core/session/state/engine.h"

enum { TEXT_SIZE = 128 };

static void the_loop_goes_from_prompt_to_commit(void **state)
{
    struct session s = {0};

    (void)state;
    assert_int_equal(engine_next(&s), ACTION_LOAD_PROBLEM);
    apply_opening(&s, roomy);
    assert_int_equal(engine_next(&s), ACTION_PROPOSE_PROMPT);
    apply_step(&s, STEP_PROMPT, 0);
    assert_int_equal(engine_next(&s), ACTION_DECIDE);
    apply_decision(&s, DECISION_ACCEPTED);
    assert_int_equal(engine_next(&s), ACTION_GENERATE);
    apply_reply(&s, "generate");
    assert_int_equal(engine_next(&s), ACTION_PROPOSE_CANDIDATE);
    apply_step(&s, STEP_CANDIDATE, 1);
    assert_int_equal(engine_next(&s), ACTION_DECIDE);
    apply_decision(&s, DECISION_ACCEPTED);
    assert_int_equal(engine_next(&s), ACTION_EVALUATE);
    apply_verdict(&s, OUTCOME_CORRECT, 100);
    assert_int_equal(engine_next(&s), ACTION_PROPOSE_KEEP);
    apply_step(&s, STEP_KEEP, 1);
    assert_int_equal(engine_next(&s), ACTION_DECIDE);
    apply_decision(&s, DECISION_ACCEPTED);
    assert_int_equal(engine_next(&s), ACTION_KEEP);
    apply_commit(&s);
    assert_int_equal(engine_next(&s), ACTION_ANALYSE);
    apply_reply(&s, "analyse");
    assert_int_equal(engine_next(&s), ACTION_PROPOSE_RECOMMENDATION);
    apply_step(&s, STEP_RECOMMENDATION, 1);
    assert_int_equal(engine_next(&s), ACTION_DECIDE);
    apply_decision(&s, DECISION_ACCEPTED);
    assert_int_equal(engine_next(&s), ACTION_PROPOSE_PROMPT);
    apply_event(&s,
                event_make(EVENT_SESSION_CLOSED, &(struct session_closed){.reason = "asked to"}));
    assert_int_equal(engine_next(&s), ACTION_NONE);
    session_release(&s);
}

static void what_is_broken_is_repaired_without_analysis(void **state)
{
    struct session s = {0};

    (void)state;
    apply_opening(&s, roomy);
    apply_answer(&s, 0);
    apply_verdict(&s, OUTCOME_WRONG_VALUES, 0);
    assert_int_equal(engine_next(&s), ACTION_PROPOSE_PROMPT);
    session_release(&s);
}

static void what_is_correct_is_analysed_also_when_not_kept(void **state)
{
    struct session s = {0};

    (void)state;
    apply_opening(&s, roomy);
    apply_round(&s, 100, DECISION_VETOED);
    assert_int_equal(engine_next(&s), ACTION_ANALYSE);
    session_release(&s);
}

/* Accept a recommendation for the first attempt. */
static void apply_advice(struct session *s, const char *change, double promise)
{
    apply_reply(s, "analyse");
    apply_event(s, event_make(EVENT_STEP_PROPOSED,
                              &(struct step_proposed){.step = (unsigned)s->steps.count + 1,
                                                      .kind = STEP_RECOMMENDATION,
                                                      .attempt = 1,
                                                      .title = change,
                                                      .text = ID("1"),
                                                      .change = change,
                                                      .has_gain = true,
                                                      .gain = promise}));
    apply_decision(s, DECISION_ACCEPTED);
}

static void assert_closes(struct session *session, const char *reason)
{
    char text[TEXT_SIZE];

    assert_int_equal(engine_next(session), ACTION_CLOSE);
    engine_closing_reason(session, text, sizeof(text));
    assert_string_equal(text, reason);
    session_release(session);
}

static void it_closes_with_a_reason(void **state)
{
    struct session s = {0};

    (void)state;
    apply_opening(&s, (struct limits){.functional = 2, .optimize = 5});
    apply_answer(&s, 0);
    apply_verdict(&s, OUTCOME_BUILD_FAILED, 0);
    assert_int_equal(engine_next(&s), ACTION_PROPOSE_PROMPT);
    apply_answer(&s, 1);
    apply_verdict(&s, OUTCOME_SUSPECT, 0);
    assert_closes(&s, "no correct candidate in 2 attempts");

    apply_opening(&s, (struct limits){.functional = 2, .optimize = 1});
    apply_round(&s, 100, DECISION_ACCEPTED);
    assert_int_equal(engine_next(&s), ACTION_ANALYSE);
    apply_answer(&s, 1);
    apply_verdict(&s, OUTCOME_BUILD_FAILED, 0);
    assert_closes(&s, "made 1 attempt to optimize");

    apply_opening(&s, (struct limits){.functional = 2, .optimize = 9, .flat = 2});
    apply_round(&s, 100, DECISION_ACCEPTED);
    apply_round(&s, 100, DECISION_VETOED);
    apply_answer(&s, 1);
    apply_verdict(&s, OUTCOME_WRONG_VALUES, 0);
    assert_closes(&s, "2 rounds in a row gained nothing");

    apply_opening(&s, (struct limits){.functional = 2, .optimize = 9, .flat = 1});
    apply_round(&s, 100, DECISION_ACCEPTED);
    apply_round(&s, 100, DECISION_VETOED);
    assert_closes(&s, "a round gained nothing");

    apply_opening(&s, roomy);
    apply_round(&s, 100, DECISION_ACCEPTED);
    apply_advice(&s, "none", 1);
    assert_closes(&s, "the analyst recommends nothing more");
}

/* Keep a first candidate with this share of the graph's bound, and analyse it. */
static void apply_share(struct session *s, double share, const char *change, double promise)
{
    apply_opening(s, roomy);
    apply_answer(s, 0);
    apply_event(s, event_make(EVENT_EVALUATION_FINISHED,
                              &(struct evaluation_finished){.attempt = 1,
                                                            .outcome = OUTCOME_CORRECT,
                                                            .is_timed = true,
                                                            .median_us = 100,
                                                            .has_bound = true,
                                                            .bound_fraction = share}));
    apply_step(s, STEP_KEEP, 1);
    apply_decision(s, DECISION_ACCEPTED);
    apply_commit(s);
    assert_int_equal(engine_next(s), ACTION_ANALYSE);
    apply_advice(s, change, promise);
}

/* Fewer operations than the graph has may beat its bound, so the bound alone ends nothing. */
static void the_bound_ends_a_session_only_where_nothing_is_promised(void **state)
{
    struct session s = {0};

    (void)state;
    apply_share(&s, 0.96, "none", 1);
    assert_closes(&s, "reached 96 % of the graph's bound, and the analyst promises no gain");
    apply_share(&s, 0.96, "one load less", 1.005);
    assert_closes(&s, "reached 96 % of the graph's bound, and the analyst promises no gain");
    apply_share(&s, 3.2, "none", 1);
    assert_closes(&s, "reached 320 % of the graph's bound, and the analyst promises no gain");
    apply_share(&s, 0.96, "sum the weights in prepare", 3);
    assert_int_equal(engine_next(&s), ACTION_PROPOSE_PROMPT);
    session_release(&s);
    apply_share(&s, 3.2, "tiles of 64", 1.2);
    assert_int_equal(engine_next(&s), ACTION_PROPOSE_PROMPT);
    session_release(&s);
    apply_share(&s, 0.6, "one load less", 1.005);
    assert_int_equal(engine_next(&s), ACTION_PROPOSE_PROMPT);
    session_release(&s);
}

/* Add a first round in which a reply took 110 tokens and had this cost and latency. */
static void apply_paid_round(struct session *s, double usd, int64_t latency_us,
                             struct limits limits)
{
    apply_opening(s, limits);
    apply_step(s, STEP_PROMPT, 0);
    apply_decision(s, DECISION_ACCEPTED);
    apply_event(
        s, event_make(EVENT_MODEL_REPLY, &(struct model_reply){.task = "generate",
                                                               .text = ID("2"),
                                                               .has_tokens = true,
                                                               .prompt_tokens = 100,
                                                               .reply_tokens = 10,
                                                               .latency_us = latency_us,
                                                               .has_cost = usd >= 0,
                                                               .cost_usd = usd >= 0 ? usd : 0}));
    apply_step(s, STEP_CANDIDATE, 1);
    apply_decision(s, DECISION_ACCEPTED);
    apply_event(s, event_make(EVENT_EVALUATION_FINISHED,
                              &(struct evaluation_finished){.attempt = 1,
                                                            .outcome = OUTCOME_BUILD_FAILED,
                                                            .wall_us = 60000000}));
}

static void a_budget_that_is_used_up_ends_the_session(void **state)
{
    static const struct {
        double usd;
        int64_t latency_us;
        double budget[RESOURCES];
        const char *reason;
    } cases[] = {
        {0.2, 0, {0.2}, "the budget of $0.2 is used up"},
        {0.1, 0, {0, 110}, "the budget of 110 tokens is used up"},
        {0.1, 60000000, {0, 0, 2}, "the budget of 2 minutes is used up"},
        {-1, 0, {5}, "the budget of $5 cannot be checked: the use of 1 reply is unknown"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct limits limits = roomy;
        struct session s = {0};

        memcpy(limits.budget, cases[i].budget, sizeof(limits.budget));
        apply_paid_round(&s, cases[i].usd, cases[i].latency_us, limits);
        if (engine_next(&s) == ACTION_WARN) {
            struct budget_used budget = engine_warning(&s);

            apply_event(&s, event_make(EVENT_BUDGET, &budget));
        }
        assert_int_equal(engine_closing(&s), CLOSING_BUDGET);
        assert_closes(&s, cases[i].reason);
    }
}

static void a_budget_warns_once_at_four_fifths(void **state)
{
    struct limits limits = roomy;
    struct session s = {0};
    struct budget_used budget;

    (void)state;
    limits.budget[RESOURCE_USD] = 1;
    apply_paid_round(&s, 0.79, 0, limits);
    assert_int_equal(engine_next(&s), ACTION_PROPOSE_PROMPT);
    session_release(&s);
    apply_paid_round(&s, 0.81, 0, limits);
    assert_int_equal(engine_next(&s), ACTION_WARN);
    budget = engine_warning(&s);
    assert_int_equal(budget.resource, RESOURCE_USD);
    assert_true(budget.used == 0.81 && budget.limit == 1);
    apply_event(&s, event_make(EVENT_BUDGET, &budget));
    assert_int_equal(engine_next(&s), ACTION_PROPOSE_PROMPT);
    session_release(&s);
}

/* The policy's decision on keeping a candidate with this gain over the best one. */
static enum decision judge_gain(double gain, double low, char reason[TEXT_SIZE])
{
    struct session s = {0};
    enum decision decision;

    apply_opening(&s, roomy);
    apply_round(&s, 100, DECISION_ACCEPTED);
    apply_answer(&s, 1);
    apply_event(&s, event_make(EVENT_EVALUATION_FINISHED,
                               &(struct evaluation_finished){.attempt = 2,
                                                             .outcome = OUTCOME_CORRECT,
                                                             .is_timed = gain > 0,
                                                             .median_us = gain > 0 ? 90 : 0,
                                                             .has_gain = gain > 0,
                                                             .gain = gain,
                                                             .gain_low = low}));
    apply_step(&s, STEP_KEEP, 2);
    decision = engine_policy(&s, reason, TEXT_SIZE);
    session_release(&s);
    return decision;
}

static void a_run_ends_by_itself_and_the_next_step_is_asked(void **state)
{
    static const struct run_limits limits[] = {
        {.steps = 4}, {.until_failure = true}, {.until_slower = true}, {.usd = 0.01}};
    static const char *const reasons[] = {"4 steps were decided", "a candidate failed",
                                          "a candidate was slower than the best",
                                          "the cost of a reply is unknown"};
    char reason[TEXT_SIZE];

    (void)state;
    for (size_t i = 0; i < sizeof(limits) / sizeof(*limits); i++) {
        struct session s = {0};

        apply_opening(&s, roomy);
        gate_preset("manual", &s.gate);
        apply_round(&s, 100, DECISION_ACCEPTED);
        apply_event(&s, event_make(EVENT_RUN_STARTED, &limits[i]));
        assert_false(engine_run_ending(&s, reason, sizeof(reason)));
        apply_step(&s, STEP_PROMPT, 1);
        assert_false(engine_asks(&s));
        apply_decision(&s, DECISION_ACCEPTED);
        apply_reply(&s, "generate");
        apply_step(&s, STEP_CANDIDATE, 2);
        apply_decision(&s, DECISION_ACCEPTED);
        apply_verdict(&s, i == 1 ? OUTCOME_WRONG_VALUES : OUTCOME_CORRECT, 200);
        if (i == 0) {
            apply_step(&s, STEP_KEEP, 2);
            apply_decision(&s, DECISION_VETOED);
            apply_step(&s, STEP_PROMPT, 1);
            apply_decision(&s, DECISION_ACCEPTED);
        }
        assert_int_equal(engine_next(&s), ACTION_END_RUN);
        assert_true(engine_run_ending(&s, reason, sizeof(reason)));
        assert_string_equal(reason, reasons[i]);
        apply_event(&s, event_make(EVENT_RUN_ENDED, &(struct run_ended){reason}));
        gate_preset("auto", &s.gate);
        if (s.now.stage == STAGE_KEEP)
            apply_step(&s, STEP_KEEP, 2);
        else if (s.now.stage == STAGE_ROUND_END)
            apply_step(&s, STEP_PROMPT, 2);
        if (session_pending(&s)) {
            assert_true(engine_asks(&s));
            apply_decision(&s, DECISION_ACCEPTED);
            assert_false(s.now.is_held);
        }
        session_release(&s);
    }
}

static void a_gain_inside_the_noise_is_not_kept(void **state)
{
    struct session s = {0};
    char reason[TEXT_SIZE];

    (void)state;
    assert_int_equal(judge_gain(1.134, 1.12, reason), DECISION_ACCEPTED);
    assert_string_equal(reason, "1.13x over the best");
    assert_int_equal(judge_gain(1.004, 1.002, reason), DECISION_VETOED);
    assert_string_equal(reason, "no gain beyond the noise: 1.00x");
    assert_int_equal(judge_gain(1.2, 0.98, reason), DECISION_VETOED);
    assert_string_equal(reason, "the gain is not certain: 1.20x, but it may be only 0.980x");
    assert_int_equal(judge_gain(1.2, 0, reason), DECISION_VETOED);
    assert_string_equal(reason, "the gain is unknown: 1.20x in too few rounds; allow more with "
                                "--timing-limit");
    assert_int_equal(judge_gain(0.518, 0.5, reason), DECISION_VETOED);
    assert_string_equal(reason, "no gain beyond the noise: 0.518x");
    assert_int_equal(judge_gain(0, 0, reason), DECISION_VETOED);
    assert_string_equal(reason, "the gain is unknown: the candidate was not timed");

    apply_opening(&s, roomy);
    apply_answer(&s, 0);
    apply_verdict(&s, OUTCOME_CORRECT, 100);
    apply_step(&s, STEP_KEEP, 1);
    assert_int_equal(engine_policy(&s, reason, sizeof(reason)), DECISION_ACCEPTED);
    assert_string_equal(reason, "the first correct candidate");
    session_release(&s);
}

static void a_profile_has_a_reader_while_attempts_are_left(void **state)
{
    struct session s = {0};

    (void)state;
    apply_opening(&s, (struct limits){.functional = 1, .optimize = 1});
    apply_answer(&s, 0);
    assert_true(engine_has_reader_of_profile(&s));
    assert_false(engine_has_reader_of_lines(&s));
    s.roles.analyst = ROLES_NOBODY;
    assert_false(engine_has_reader_of_profile(&s));
    s.agent = "openai:gpt-5";
    assert_true(engine_has_reader_of_profile(&s) && engine_has_reader_of_lines(&s));
    s.agent = "builtin";
    s.roles.analyst = NULL;
    apply_verdict(&s, OUTCOME_CORRECT, 100);
    apply_step(&s, STEP_KEEP, 1);
    apply_decision(&s, DECISION_ACCEPTED);
    apply_commit(&s);
    apply_answer(&s, 1);
    assert_false(engine_has_reader_of_profile(&s));
    session_release(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_loop_goes_from_prompt_to_commit),
        cmocka_unit_test(what_is_broken_is_repaired_without_analysis),
        cmocka_unit_test(what_is_correct_is_analysed_also_when_not_kept),
        cmocka_unit_test(it_closes_with_a_reason),
        cmocka_unit_test(the_bound_ends_a_session_only_where_nothing_is_promised),
        cmocka_unit_test(a_budget_that_is_used_up_ends_the_session),
        cmocka_unit_test(a_budget_warns_once_at_four_fifths),
        cmocka_unit_test(a_run_ends_by_itself_and_the_next_step_is_asked),
        cmocka_unit_test(a_gain_inside_the_noise_is_not_kept),
        cmocka_unit_test(a_profile_has_a_reader_while_attempts_are_left),
    };

    return cmocka_run_group_tests_name("engine", tests, NULL, NULL);
}
