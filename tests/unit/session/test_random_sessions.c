#include "tests/unit/session_back.h"
#include "tests/unit/session_events.h"

#include <inttypes.h>
#include <stdlib.h>

#include "core/session/state/engine.h"
#include "core/session/state/notes.h"
#include "core/session/state/round.h"

/* Tests invariants of the engine and of the fold on random sessions. */

enum { SESSIONS = 400, BACK_ONE_IN = 8, MAX_STEPS = 4000, TEXT_SIZE = 128 };

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
    case ACTION_JUDGE_REFERENCE:
        return event_make(EVENT_REFERENCE_JUDGED,
                          &(struct reference_judged){
                              .outcome = OUTCOME_CORRECT, .detail = "fast", .verdict = ID("e")});
    case ACTION_TAKE_PICTURE:
        return event_make(EVENT_PICTURE_TAKEN,
                          &(struct picture_taken){.attempt = session_unpictured(s)->number,
                                                  .name = "k.png",
                                                  .media_type = "image/png",
                                                  .text = ID("f")});
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

/* A version of an attempt that the engineer saves. */
static struct event save(const struct session *s, struct chance *chance)
{
    unsigned count = (unsigned)s->attempts.count;

    return event_make(EVENT_STEP_PROPOSED,
                      &(struct step_proposed){.step = (unsigned)s->steps.count + 1,
                                              .kind = STEP_CANDIDATE,
                                              .attempt = count + 1,
                                              .title = "edited by hand",
                                              .text = ID("5"),
                                              .is_by_hand = true,
                                              .edits = 1 + draw(chance, count)});
}

/* An event of the engineer that arrives between the steps. */
static struct event interrupt(const struct session *s, struct chance *chance)
{
    unsigned undoable = session_undoable(s), redoable = session_redoable(s);

    switch (draw(chance, 6)) {
    case 4:
        if (s->attempts.count && round_takes_by_hand(s))
            return save(s, chance);
        break;
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

/* Apply the event to one session by `apply`, and to the other as parsed from its journal line. */
static void apply_both(struct session *live, struct session *folded, struct event event,
                       enum status (*apply)(struct session *, const struct event *, struct error *))
{
    struct strbuf line = {0};
    struct event read = {0};
    struct error err = {0};

    if (fold_check(live, &event, &err))
        fail_msg("%s", err.text);
    event_stamp(&event, live->events + 1, "2026-11-20T21:47:03.125Z");
    json_print(event.body, &line);
    assert_int_equal(apply(live, &event, &err), STATUS_OK);
    assert_int_equal(event_parse(&read, strbuf_cstr(&line), "line", &err), STATUS_OK);
    assert_int_equal(fold_apply(folded, &read, &err), STATUS_OK);
    assert_same_state(live, folded);
    event_release(&event);
    event_release(&read);
    strbuf_release(&line);
}

static void run_session(struct chance *chance, bool goes_back)
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
    live.picture = folded.picture = draw(chance, 2) ? "kcachegrind" : NULL;
    while (engine_next(&live) != ACTION_NONE) {
        apply_both(&live, &folded,
                   draw(chance, 10) == 0 ? interrupt(&live, chance) : do_next(&live, chance),
                   goes_back ? apply_back_and_forth : fold_apply);
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
        run_session(&(struct chance){seed * 0x9E3779B97F4A7C15U}, seed % BACK_ONE_IN == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_sessions_keep_their_invariants),
    };

    return cmocka_run_group_tests_name("random_sessions", tests, NULL, NULL);
}
