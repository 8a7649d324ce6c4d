#include "tests/unit/session_events.h"

#include "core/base/vec.h"
#include "core/session/recorded/rewind.h"
#include "core/session/state/undo.h"

/* A session, a second one that follows it state by state, and a description of each state. */
struct walk {
    struct session live, follower;
    struct {
        struct rewind *items;
        size_t count, capacity;
    } backs;
    struct {
        struct strbuf *items;
        size_t count, capacity;
    } told;
};

static void tell_steps(const struct session *s, struct strbuf *out)
{
    for (size_t i = 0; i < s->steps.count; i++) {
        const struct step *step = &s->steps.items[i];

        strbuf_addf(out, "step %s %d %d %s %s\n", step->title, step->decision, step->is_undone,
                    step->reason ? step->reason : "", step->edited);
    }
    for (size_t i = 0; i < s->undos.count; i++)
        strbuf_addf(out, "undo %u of %zu\n", s->undos.items[i].step.number, s->undos.held);
}

static void tell_attempts(const struct session *s, struct strbuf *out)
{
    for (size_t i = 0; i < s->attempts.count; i++) {
        const struct attempt *attempt = &s->attempts.items[i];

        strbuf_addf(out, "attempt %s %d %g %s %s\n", attempt->title, attempt->is_undone,
                    attempt->time.median_us, attempt->commit, attempt->tag ? attempt->tag : "");
    }
}

static struct strbuf tell(const struct session *s)
{
    struct strbuf out = {0};

    strbuf_addf(&out, "%s %u events, stage %d, best %u, %u replies, %zu notes, %zu aside\n",
                s->id ? s->id : "none", (unsigned)s->events, s->now.stage, s->now.best,
                s->now.reply_count, s->notes.count, s->set_aside.count);
    for (unsigned i = 0; i < s->now.reply_count; i++)
        strbuf_addf(&out, "reply %s\n", s->arrived[i].text);
    tell_steps(s, &out);
    tell_attempts(s, &out);
    return out;
}

static void look(struct walk *walk)
{
    vec_push(&walk->told, tell(&walk->follower));
    vec_push(&walk->backs, rewind_follow(&walk->follower, &walk->live));
}

/* Rounds of two answers, with every kind of event that changes earlier state. */
static void apply_session(struct walk *walk)
{
    struct session *s = &walk->live;
    const struct candidate_tagged tagged = {1, "fast"}, plain = {1, ""};

    apply_opening(s, (struct limits){.functional = 9, .optimize = 9, .attempts = 2});
    look(walk);
    apply_step(s, STEP_PROMPT, 0);
    apply_decision(s, DECISION_ACCEPTED);
    apply_reply(s, "generate");
    look(walk);
    apply_reply(s, "generate");
    apply_step(s, STEP_CANDIDATE, 1);
    look(walk);
    apply_decision(s, DECISION_VETOED);
    apply_step(s, STEP_CANDIDATE, 2);
    look(walk);
    apply_event(s, event_make(EVENT_STEP_UNDONE, &(struct step_undone){2}));
    look(walk);
    apply_event(s, event_make(EVENT_STEP_REDONE, &(struct step_redone){2}));
    look(walk);
    apply_event(s, event_make(EVENT_STEP_UNDONE, &(struct step_undone){2}));
    apply_decision(s, DECISION_ACCEPTED);
    apply_event(s, event_make(EVENT_EVALUATION_FINISHED,
                              &(struct evaluation_finished){.attempt = 1,
                                                            .outcome = OUTCOME_CORRECT,
                                                            .is_timed = true,
                                                            .median_us = 80}));
    look(walk);
    apply_event(s, event_make(EVENT_CANDIDATE_TAGGED, &tagged));
    apply_event(s, event_make(EVENT_NOTE, &(struct note){"keep the tile square"}));
    look(walk);
    apply_event(s, event_make(EVENT_CANDIDATE_TAGGED, &plain));
    look(walk);
}

static void assert_told(const struct walk *walk, const char *told)
{
    struct session copy = {0};
    struct strbuf here = tell(&walk->follower), copied;

    assert_string_equal(strbuf_cstr(&here), told);
    rewind_copy(&copy, &walk->follower);
    copied = tell(&copy);
    assert_string_equal(strbuf_cstr(&copied), told);
    session_release(&copy);
    strbuf_release(&copied);
    strbuf_release(&here);
}

/* Back to the first state, forwards again to the last, and back once more. */
static void every_state_is_found_again(void **state)
{
    struct walk walk = {0};
    struct strbuf end;

    (void)state;
    apply_session(&walk);
    end = tell(&walk.live);
    for (size_t turn = 0; turn < 2; turn++) {
        assert_told(&walk, strbuf_cstr(&end));
        for (size_t i = walk.backs.count; i-- > 0;) {
            rewind_go(&walk.backs.items[i], &walk.follower);
            assert_told(&walk, strbuf_cstr(&walk.told.items[i]));
        }
        for (size_t i = 0; i < walk.backs.count; i++) {
            assert_told(&walk, strbuf_cstr(&walk.told.items[i]));
            rewind_go(&walk.backs.items[i], &walk.follower);
        }
    }
    for (size_t i = 0; i < walk.backs.count; i++) {
        rewind_release(&walk.backs.items[i]);
        strbuf_release(&walk.told.items[i]);
    }
    strbuf_release(&end);
    vec_release(&walk.backs);
    vec_release(&walk.told);
    session_release(&walk.follower);
    session_release(&walk.live);
}

/* A session that returned to an earlier state can continue differently. */
static void a_session_can_continue_from_an_earlier_state(void **state)
{
    struct session live = {0}, other = {0};
    struct rewind back, again;

    (void)state;
    apply_opening(&live, (struct limits){.functional = 9, .optimize = 9});
    back = rewind_follow(&other, &live);
    rewind_release(&back);
    apply_round(&live, 80, DECISION_ACCEPTED);
    back = rewind_follow(&other, &live);
    rewind_go(&back, &other);
    apply_round(&other, 60, DECISION_VETOED);
    assert_int_equal(live.now.best, 1);
    assert_int_equal(other.now.best, 0);
    again = rewind_follow(&other, &live);
    session_release(&live);
    assert_int_equal(other.now.best, 1);
    assert_string_equal(other.steps.items[0].title, "prompt");
    rewind_release(&back);
    rewind_release(&again);
    session_release(&other);
}

/* A rewind record holds only the changes, not the state that a hundred steps left unchanged. */
static void a_rewind_record_is_small(void **state)
{
    struct session live = {0}, other = {0};
    struct rewind back;

    (void)state;
    apply_opening(&live, (struct limits){.functional = 99, .optimize = 99});
    for (int i = 0; i < 40; i++)
        apply_round(&live, 100 - i, DECISION_ACCEPTED);
    back = rewind_follow(&other, &live);
    rewind_release(&back);
    apply_round(&live, 50, DECISION_ACCEPTED);
    back = rewind_follow(&other, &live);
    assert_true(back.items.len < 2 * sizeof(struct undo));
    rewind_release(&back);
    session_release(&other);
    session_release(&live);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_state_is_found_again),
        cmocka_unit_test(a_session_can_continue_from_an_earlier_state),
        cmocka_unit_test(a_rewind_record_is_small),
    };

    return cmocka_run_group_tests_name("rewind", tests, NULL, NULL);
}
