#include "tests/unit/unit.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/session/state/engine.h"
#include "core/session/state/fold.h"
#include "core/session/state/notes.h"
#include "tests/unit/session_events.h"

static const struct limits roomy = {.functional = 10, .optimize = 10, .flat = 10};

enum { SESSIONS = 400, MAX_STEPS = 4000, TEXT_SIZE = 128 };

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
    assert_closes(&s, "reached 96 % of the graph's bound, and nothing more is promised");
    apply_share(&s, 0.96, "one load less", 1.005);
    assert_closes(&s, "reached 96 % of the graph's bound, and nothing more is promised");
    apply_share(&s, 3.2, "none", 1);
    assert_closes(&s, "reached 320 % of the graph's bound, and nothing more is promised");
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
    assert_string_equal(reason, "1.134x over the best");
    assert_int_equal(judge_gain(1.004, 1.002, reason), DECISION_VETOED);
    assert_string_equal(reason, "no gain beyond the noise: 1.004x");
    assert_int_equal(judge_gain(1.2, 0.98, reason), DECISION_VETOED);
    assert_string_equal(reason, "no gain beyond the noise: 1.200x");
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

/*
 * A random session. xorshift64 (Marsaglia 2003) draws the numbers, so that a seed reproduces a run.
 */
struct chance {
    uint64_t state;
};

static unsigned draw(struct chance *chance, unsigned below)
{
    chance->state ^= chance->state << 13;
    chance->state ^= chance->state >> 7;
    chance->state ^= chance->state << 17;
    return (unsigned)(chance->state % below);
}

/* The complete state of a session as text. */
static void describe(const struct session *s, struct strbuf *out)
{
    size_t note_count;
    const char **notes = notes_texts(s, &note_count);

    strbuf_addf(out, "%s %s %d %" PRIu64 " best %u advice %u analysed %u %d %u %u %u %u %u %s %s|",
                s->id ? s->id : "", s->problem, s->now.stage, s->events, s->now.best,
                s->now.recommendation, s->now.analysed, s->now.has_correct,
                s->now.functional_attempts, s->now.optimize_attempts, s->now.flat_rounds,
                s->now.subject, s->now.reply_count, s->arrived[0].text,
                s->closed_because ? s->closed_because : "");
    strbuf_addf(out, "%d %" PRId64 " %" PRId64 "|", s->has_tokens, s->prompt_tokens,
                s->reply_tokens);
    for (size_t i = 0; i < note_count; i++)
        strbuf_addf(out, "%s|", notes[i]);
    free(notes);
    for (int i = 0; i < STEP_KINDS; i++)
        strbuf_addf(out, "%d|", s->gate.modes[i]);
}

static void describe_last(const struct session *s, struct strbuf *out)
{
    const struct step *step = session_step(s, (unsigned)s->steps.count);
    const struct attempt *a = session_last_attempt(s);

    if (step)
        strbuf_addf(out, "step %u %d %u %s %s %d %d %s %s|", step->number, step->kind,
                    step->attempt, step->title, step->text, step->decision, step->decider,
                    step->reason ? step->reason : "", step->edited);
    if (a)
        strbuf_addf(out, "attempt %u %u %u %d %s %s %d %d %.17g %.17g %.17g %d %s", a->number,
                    a->parent, a->recommendation, a->origin, a->candidate, a->prompt,
                    a->is_evaluated, a->outcome, a->time.median_us, a->gain, a->gain_low,
                    a->is_kept, a->commit);
}

static void assert_same_state(const struct session *a, const struct session *b)
{
    struct strbuf left = {0}, right = {0};

    describe(a, &left);
    describe_last(a, &left);
    describe(b, &right);
    describe_last(b, &right);
    assert_string_equal(strbuf_cstr(&left), strbuf_cstr(&right));
    assert_int_equal(engine_next(a), engine_next(b));
    strbuf_release(&left);
    strbuf_release(&right);
}

static struct event propose(const struct session *s, struct chance *chance, enum step_kind kind)
{
    unsigned count = (unsigned)s->attempts.count;
    const struct attempt *last = session_subject(s);
    struct step_proposed proposed = {.step = (unsigned)s->steps.count + 1,
                                     .kind = kind,
                                     .attempt = last ? last->number : 0,
                                     .title = step_kind_name(kind),
                                     .text = kind == STEP_KEEP ? NULL : ID("1")};

    if (kind == STEP_PROMPT)
        proposed.attempt = draw(chance, count + 1);
    if (kind == STEP_CANDIDATE)
        proposed.attempt = count + 1;
    return event_make(EVENT_STEP_PROPOSED, &proposed);
}

/* Mostly follow the policy; else decide at random as an engineer might. */
static struct event decide(const struct session *s, struct chance *chance)
{
    char reason[TEXT_SIZE];
    struct step_decided decided = {.step = session_pending(s)->number, .by = DECIDER_POLICY};

    decided.decision = engine_policy(s, reason, sizeof(reason));
    decided.reason = reason;
    if (draw(chance, 3) == 0) {
        decided.decision = (enum decision)(DECISION_ACCEPTED + draw(chance, 4));
        decided.by = DECIDER_ENGINEER;
        decided.text = decided.decision == DECISION_EDITED ? ID("e") : NULL;
    }
    return event_make(EVENT_STEP_DECIDED, &decided);
}

static struct event judge(const struct session *s, struct chance *chance)
{
    enum outcome outcome = (enum outcome)(OUTCOME_BAD_REPLY + draw(chance, OUTCOME_CORRECT));
    double median_us = 100 + draw(chance, 1000);

    if (draw(chance, 2) == 0)
        outcome = OUTCOME_CORRECT;
    return event_make(EVENT_EVALUATION_FINISHED,
                      &(struct evaluation_finished){.attempt = session_subject(s)->number,
                                                    .outcome = outcome,
                                                    .is_timed = outcome == OUTCOME_CORRECT,
                                                    .median_us = median_us,
                                                    .low_us = median_us - 1,
                                                    .high_us = median_us + 1,
                                                    .has_bound = true,
                                                    .bound_fraction = 90 / median_us});
}

static struct event candidate_or_bad_reply(const struct session *s, struct chance *chance)
{
    if (draw(chance, 8) == 0)
        return event_make(EVENT_EVALUATION_FINISHED,
                          &(struct evaluation_finished){.attempt = (unsigned)s->attempts.count + 1,
                                                        .outcome = OUTCOME_BAD_REPLY});
    return propose(s, chance, STEP_CANDIDATE);
}

static struct event reply(const char *task)
{
    return event_make(EVENT_MODEL_REPLY, &(struct model_reply){.task = task,
                                                               .text = ID("2"),
                                                               .has_tokens = true,
                                                               .prompt_tokens = 9,
                                                               .reply_tokens = 3});
}

static struct event close_session(const struct session *s)
{
    char text[TEXT_SIZE];

    engine_closing_reason(s, text, sizeof(text));
    assert_true(text[0] != '\0');
    return event_make(EVENT_SESSION_CLOSED, &(struct session_closed){.reason = text});
}

/* The event that a driver would write next, with random details. */
static struct event do_next(const struct session *s, struct chance *chance)
{
    switch (engine_next(s)) {
    case ACTION_LOAD_PROBLEM:
        return event_make(EVENT_PROBLEM_LOADED,
                          &(struct problem_loaded){.name = "softmax", .text = ID("0")});
    case ACTION_PROPOSE_PROMPT:
        return propose(s, chance, STEP_PROMPT);
    case ACTION_DECIDE:
        return decide(s, chance);
    case ACTION_GENERATE:
        return reply("generate");
    case ACTION_PROPOSE_CANDIDATE:
        return candidate_or_bad_reply(s, chance);
    case ACTION_EVALUATE:
        return judge(s, chance);
    case ACTION_PROPOSE_KEEP:
        return propose(s, chance, STEP_KEEP);
    case ACTION_KEEP:
        return event_make(
            EVENT_CANDIDATE_KEPT,
            &(struct candidate_kept){.attempt = session_subject(s)->number, .commit = ID("c")});
    case ACTION_ANALYSE:
        return reply("analyse");
    case ACTION_PROPOSE_RECOMMENDATION:
        return propose(s, chance, STEP_RECOMMENDATION);
    case ACTION_WARN: {
        struct budget_used budget = engine_warning(s);

        return event_make(EVENT_BUDGET, &budget);
    }
    case ACTION_END_RUN:
        return event_make(EVENT_RUN_ENDED, &(struct run_ended){"it is over"});
    case ACTION_CLOSE:
        return close_session(s);
    case ACTION_NONE:
    default:
        fail_msg("nothing is left to do");
        return (struct event){0};
    }
}

/* An event of the engineer that arrives between the steps. */
static struct event interrupt(const struct session *s, struct chance *chance)
{
    unsigned undoable = session_undoable(s), redoable = session_redoable(s);

    switch (draw(chance, 5)) {
    case 0:
        return event_make(EVENT_NOTE, &(struct note){"keep the tile square"});
    case 1:
        return event_make(
            EVENT_RUN_STARTED,
            &(struct run_limits){.steps = draw(chance, 9), .until_failure = draw(chance, 2)});
    case 2:
        if (undoable)
            return event_make(EVENT_STEP_UNDONE, &(struct step_undone){undoable});
        break;
    case 3:
        if (redoable)
            return event_make(EVENT_STEP_REDONE, &(struct step_redone){redoable});
        break;
    default:
        break;
    }
    return event_make(EVENT_POLICY_CHANGED,
                      &(struct policy_changed){.kind = (enum step_kind)draw(chance, STEP_KINDS),
                                               .mode = (enum gate_mode)draw(chance, 2)});
}

static void assert_best_is_fastest(const struct session *s)
{
    const struct attempt *best = session_attempt(s, s->now.best);

    for (size_t i = 0; i < s->attempts.count; i++) {
        const struct attempt *a = &s->attempts.items[i];

        assert_int_equal(a->number, i + 1);
        assert_true(a->parent < a->number);
        if (!a->is_kept)
            continue;
        assert_int_equal(a->outcome, OUTCOME_CORRECT);
        assert_true(best->time.median_us <= a->time.median_us);
    }
}

static void assert_one_step_pending(const struct session *s)
{
    const struct step *pending = session_pending(s);

    for (size_t i = 0; i < s->steps.count; i++) {
        const struct step *step = &s->steps.items[i];

        assert_int_equal(step->number, i + 1);
        assert_true(step->decision != DECISION_PENDING || step->is_undone || step == pending);
    }
    if (engine_next(s) != ACTION_WARN && engine_next(s) != ACTION_END_RUN)
        assert_int_equal(pending != NULL, engine_next(s) == ACTION_DECIDE);
}

/* Apply the event to one session directly, and to the other as parsed from its journal line. */
static void apply_both(struct session *live, struct session *folded, struct event event)
{
    struct strbuf line = {0};
    struct event read = {0};
    struct error err = {0};

    if (fold_check(live, &event, &err))
        fail_msg("%s", err.text);
    event_stamp(&event, live->events + 1, "2026-11-20T21:47:03.125Z");
    json_print(event.body, &line);
    assert_int_equal(fold_apply(live, &event, &err), STATUS_OK);
    assert_int_equal(event_parse(&read, strbuf_cstr(&line), "line", &err), STATUS_OK);
    assert_int_equal(fold_apply(folded, &read, &err), STATUS_OK);
    assert_same_state(live, folded);
    event_release(&event);
    event_release(&read);
    strbuf_release(&line);
}

static void run_session(struct chance *chance)
{
    struct limits limits = {.functional = 1 + draw(chance, 5),
                            .optimize = draw(chance, 12),
                            .attempts = draw(chance, 4),
                            .flat = draw(chance, 5),
                            .budget[RESOURCE_TOKENS] = 12.0 * draw(chance, 12)};
    struct session live = {0}, folded = {0};
    unsigned steps = 0;

    apply_opening(&live, limits);
    apply_opening(&folded, limits);
    while (engine_next(&live) != ACTION_NONE) {
        apply_both(&live, &folded,
                   draw(chance, 10) == 0 ? interrupt(&live, chance) : do_next(&live, chance));
        assert_one_step_pending(&live);
        assert_true(++steps < MAX_STEPS);
    }
    assert_best_is_fastest(&live);
    assert_true(live.now.functional_attempts <= limits.functional);
    assert_true(live.now.optimize_attempts <= limits.optimize);
    assert_true(!limits.flat || live.now.flat_rounds <= limits.flat);
    session_release(&live);
    session_release(&folded);
}

static void random_sessions_keep_their_invariants(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= SESSIONS; seed++)
        run_session(&(struct chance){seed * 0x9E3779B97F4A7C15U});
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
        cmocka_unit_test(random_sessions_keep_their_invariants),
    };

    return cmocka_run_group_tests_name("engine", tests, NULL, NULL);
}
