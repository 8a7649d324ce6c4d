#include "tests/unit/session_events.h"

#include "core/session/recorded/agent_results.h"
#include "core/session/state/engine.h"
#include "core/session/state/round.h"

/* Open a session of agents a, b and c, which an analyst reads the profiles for. */
static void apply_roles(struct session *s, unsigned attempts, const char *analyst)
{
    struct session_opened opened = {
        .session = "1120-214703-3f2a",
        .problem = "softmax",
        .agent = "a",
        .roles = {.others = {"b", "c"}, .other_count = 2, .analyst = analyst},
        .limits = {.functional = 10, .optimize = 10, .attempts = attempts}};

    apply_event(s, event_make(EVENT_SESSION_OPENED, &opened));
    apply_event(s, event_make(EVENT_PROBLEM_LOADED,
                              &(struct problem_loaded){.name = "softmax", .text = ID("0")}));
}

static void apply_reply_of(struct session *s, const char *task, const char *agent, double usd)
{
    apply_event(s, event_make(EVENT_MODEL_REPLY, &(struct model_reply){.task = task,
                                                                       .agent = agent,
                                                                       .text = ID("2"),
                                                                       .has_tokens = true,
                                                                       .prompt_tokens = 100,
                                                                       .reply_tokens = 10,
                                                                       .has_cost = usd > 0,
                                                                       .cost_usd = usd}));
}

static void apply_prompt(struct session *s)
{
    apply_step(s, STEP_PROMPT, 0);
    apply_decision(s, DECISION_ACCEPTED);
}

/* Propose the next reply and judge it. */
static void apply_candidate(struct session *s, enum outcome outcome, double median_us)
{
    apply_step(s, STEP_CANDIDATE, (unsigned)s->attempts.count + 1);
    apply_decision(s, DECISION_ACCEPTED);
    apply_verdict(s, outcome, median_us);
}

static void attempts_go_to_the_writers_in_turn(void **state)
{
    struct session s = {0};

    (void)state;
    apply_roles(&s, 2, NULL);
    apply_prompt(&s);
    assert_int_equal(round_missing(&s), 2);
    assert_string_equal(round_writer(&s, 0), "a");
    assert_string_equal(round_writer(&s, 1), "b");
    /* The second has replied; the first is asked again after a crash. */
    apply_reply_of(&s, "generate", "b", 0);
    assert_int_equal(round_missing(&s), 1);
    assert_string_equal(round_writer(&s, 0), "a");
    apply_reply_of(&s, "generate", "a", 0);
    apply_candidate(&s, OUTCOME_WRONG_VALUES, 0);
    apply_candidate(&s, OUTCOME_WRONG_VALUES, 0);
    assert_string_equal(session_author(&s, session_attempt(&s, 1)), "b");
    assert_string_equal(session_author(&s, session_attempt(&s, 2)), "a");
    apply_prompt(&s);
    assert_string_equal(round_writer(&s, 0), "c");
    assert_string_equal(round_writer(&s, 1), "a");
    session_release(&s);
}

static void the_best_of_a_round_wins_and_each_agent_pays(void **state)
{
    struct agent_result results[MOST_AGENTS];
    struct session s = {0};

    (void)state;
    apply_roles(&s, 3, "d");
    apply_prompt(&s);
    apply_reply_of(&s, "generate", "a", 0.5);
    apply_reply_of(&s, "generate", "b", 0.25);
    apply_reply_of(&s, "generate", "c", 0);
    apply_candidate(&s, OUTCOME_CORRECT, 100);
    apply_candidate(&s, OUTCOME_CORRECT, 50);
    apply_candidate(&s, OUTCOME_WRONG_VALUES, 0);
    apply_step(&s, STEP_KEEP, 2);
    apply_decision(&s, DECISION_ACCEPTED);
    apply_event(&s, event_make(EVENT_CANDIDATE_KEPT,
                               &(struct candidate_kept){.attempt = 2, .commit = ID("c")}));
    assert_int_equal(engine_next(&s), ACTION_ANALYSE);
    apply_reply_of(&s, "analyse", "d", 0.125);
    assert_int_equal(agent_results_find(&s, results), 4);
    assert_string_equal(results[1].agent, "b");
    assert_int_equal(results[0].won, 0);
    assert_int_equal(results[1].won, 1);
    assert_true(results[1].has_best && !results[0].has_best);
    assert_int_equal(results[2].correct, 0);
    assert_int_equal(results[2].use.unknown_usd, 1);
    assert_true(results[3].analyses && !results[3].writes);
    assert_float_equal(results[0].use.usd, 0.5, 0);
    assert_float_equal(results[3].use.usd, 0.125, 0);
    assert_float_equal(s.used[RESOURCE_USD], 0.875, 0);
    session_release(&s);
}

static void without_an_analyst_the_next_prompt_follows(void **state)
{
    struct session s = {0};

    (void)state;
    apply_roles(&s, 1, ROLES_NOBODY);
    apply_round(&s, 100, DECISION_ACCEPTED);
    assert_null(session_analyst(&s));
    assert_int_equal(engine_next(&s), ACTION_PROPOSE_PROMPT);
    session_release(&s);
}

/* Journals from before roles name no agent in a reply. */
static void an_old_reply_is_of_the_only_agent(void **state)
{
    struct agent_result results[MOST_AGENTS];
    struct session s = {0};

    (void)state;
    apply_opening(&s, roomy);
    apply_round(&s, 100, DECISION_ACCEPTED);
    apply_reply(&s, "analyse");
    assert_string_equal(session_author(&s, session_attempt(&s, 1)), "builtin");
    assert_int_equal(agent_results_find(&s, results), 1);
    assert_int_equal(results[0].use.replies, 2);
    assert_true(results[0].writes && results[0].analyses);
    session_release(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(attempts_go_to_the_writers_in_turn),
        cmocka_unit_test(the_best_of_a_round_wins_and_each_agent_pays),
        cmocka_unit_test(without_an_analyst_the_next_prompt_follows),
        cmocka_unit_test(an_old_reply_is_of_the_only_agent),
    };

    return cmocka_run_group_tests_name("roles", tests, NULL, NULL);
}
