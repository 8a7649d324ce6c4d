#include "tests/unit/session_events.h"

#include <math.h>
#include <stdio.h>

#include "core/session/state/scale.h"
#include "tui/panels/panel.h"
#include "tui/panels/view_model.h"

/* A verdict on a kernel twice as fast as the baseline was at that moment. */
static const char verdict[] = "{\"kforge\": 1, \"outcome\": \"correct\", \"timing\": "
                              "{\"median_us\": 100, \"ci95_us\": [99, 101],"
                              " \"runs\": 50}, \"against\": [{\"name\": \"eager\", \"median_us\": "
                              "200, \"ci95_us\": [198, 202],"
                              " \"speedup\": 2, \"speedup_ci95\": [1.9, 2.1]}]}";

/*
 * A view of a session in memory.  The ids of its kernels begin with the letters a, b and c, those
 * of verdicts with 3.
 */
struct view {
    struct session session;
    struct view_model view_model;
    unsigned reads; /* texts that were read */
};

static enum status read_text(void *data, const char *id, struct strbuf *out, struct error *err)
{
    static const char *const kernels[] = {"one\ntwo", "one\nthree", "one\ntwo\nfour"};
    struct view *view = data;
    bool is_kernel = *id >= 'a' && *id <= 'c';

    (void)err;
    view->reads++;
    if (*id == '3') {
        strbuf_adds(out, verdict);
        return STATUS_OK;
    }
    strbuf_addf(out, "```opencl\n%s\n```\n\n```json\n{}\n```\n",
                is_kernel ? kernels[*id - 'a'] : "none");
    return STATUS_OK;
}

static void open_view(struct view *view)
{
    *view = (struct view){0};
    apply_opening(&view->session, roomy);
    view->view_model.session = &view->session;
    view->view_model.source = (struct view_model_source){.text = read_text, .data = view};
}

static void release_view(struct view *view)
{
    view_model_release(&view->view_model);
    session_release(&view->session);
}

/* Add a round with a kernel, of which the step of keeping it waits; return the number of that. */
static unsigned add_round(struct session *session, const char *kernel, double median_us)
{
    unsigned step = (unsigned)session->steps.count + 2;
    unsigned attempt = (unsigned)session->attempts.count + 1;

    apply_step(session, STEP_PROMPT, session->now.best);
    apply_decision(session, DECISION_ACCEPTED);
    apply_reply(session, "generate");
    apply_event(session,
                event_make(EVENT_STEP_PROPOSED, &(struct step_proposed){.step = step,
                                                                        .kind = STEP_CANDIDATE,
                                                                        .attempt = attempt,
                                                                        .title = "code",
                                                                        .text = kernel}));
    apply_decision(session, DECISION_ACCEPTED);
    apply_verdict(session, OUTCOME_CORRECT, median_us);
    apply_step(session, STEP_KEEP, attempt);
    return step + 1;
}

static void keep(struct session *session)
{
    apply_decision(session, DECISION_ACCEPTED);
    apply_commit(session);
}

/* A text that came into view lately is not read again, as long as it is one of the latest. */
static void texts_in_view_are_read_once(void **state)
{
    char id[OBJECT_ID_SIZE];
    struct strbuf out = {0};
    struct view view;
    unsigned reads;

    (void)state;
    open_view(&view);
    add_round(&view.session, ID("a"), 80);
    view_model_look_at_step(&view.view_model, 2);
    view_model_look_at_step(&view.view_model, 1);
    reads = view.reads;
    view_model_look_at_step(&view.view_model, 2);
    view_model_look_at_step(&view.view_model, 1);
    assert_int_equal(view.reads, reads);
    for (int i = 0; i < TEXT_CACHE_TEXTS; i++) {
        snprintf(id, sizeof(id), "%040d", i);
        text_cache_keep(&view.view_model.texts, id, "x", 1);
    }
    view_model_look_at_step(&view.view_model, 2);
    assert_true(view.reads > reads);
    assert_true(text_cache_find(&view.view_model.texts, id, &out));
    assert_string_equal(strbuf_cstr(&out), "x");
    strbuf_release(&out);
    release_view(&view);
}

static void assert_changes(struct view *view, unsigned step, size_t added, size_t removed)
{
    const struct diff *changes;

    view_model_look_at_step(&view->view_model, step);
    changes = view_model_changes(&view->view_model);
    assert_non_null(changes);
    assert_int_equal(changes->added, added);
    assert_int_equal(changes->removed, removed);
}

/* Another kernel in view, or another best one, is compared anew. */
static void changes_are_of_the_kernels_in_view(void **state)
{
    struct view view;
    unsigned second, third;

    (void)state;
    open_view(&view);
    add_round(&view.session, ID("a"), 80);
    keep(&view.session);
    second = add_round(&view.session, ID("b"), 60);
    assert_changes(&view, second, 1, 1);
    keep(&view.session);
    third = add_round(&view.session, ID("c"), 70);
    assert_changes(&view, third, 2, 1);
    view_model_look_at_step(&view.view_model, 2);
    assert_null(view_model_changes(&view.view_model));
    assert_changes(&view, second, 1, 1);
    assert_changes(&view, third, 2, 1);
    release_view(&view);
}

/* The last recommendation for the attempt in view; other attempts' do not count. */
static void advice_is_of_the_attempt_in_view(void **state)
{
    struct view view;
    unsigned advice;

    (void)state;
    open_view(&view);
    add_round(&view.session, ID("a"), 80);
    keep(&view.session);
    apply_reply(&view.session, "analyse");
    apply_step(&view.session, STEP_RECOMMENDATION, 1);
    advice = (unsigned)view.session.steps.count;
    apply_decision(&view.session, DECISION_ACCEPTED);
    add_round(&view.session, ID("b"), 60);
    view_model_look_at_attempt(&view.view_model, 2);
    assert_int_equal(view.view_model.advised_by, 0);
    view_model_look_at_attempt(&view.view_model, 1);
    assert_int_equal(view.view_model.advised_by, advice);
    release_view(&view);
}

static void finish(struct session *session, unsigned attempt, double median_us, double speedup)
{
    apply_event(session, event_make(EVENT_EVALUATION_FINISHED,
                                    &(struct evaluation_finished){.attempt = attempt,
                                                                  .outcome = OUTCOME_CORRECT,
                                                                  .verdict = ID("3"),
                                                                  .is_timed = true,
                                                                  .median_us = median_us,
                                                                  .low_us = median_us * 0.99,
                                                                  .high_us = median_us * 1.01,
                                                                  .over = "eager",
                                                                  .has_speedup = true,
                                                                  .speedup = speedup,
                                                                  .speedup_low = speedup * 0.95,
                                                                  .speedup_high = speedup * 1.05,
                                                                  .has_gain = attempt > 1,
                                                                  .gain = 2,
                                                                  .gain_low = 1.99,
                                                                  .gain_high = 2.01}));
}

static void assert_one_speedup(const struct view *view, double expected)
{
    const struct attempt *attempt = &view->session.attempts.items[0];
    const struct comparison *over = verdict_against(&view->view_model.shown.verdict, "eager");

    assert_non_null(over);
    assert_true(fabs(scale_speedup(&view->session, attempt) - expected) < 0.01);
    assert_true(fabs(over->speedup - expected) < 0.01);
}

/* The verdict in view and the table of candidates say the same after each attempt. */
static void a_verdict_in_view_follows_the_scale(void **state)
{
    struct view view;

    (void)state;
    open_view(&view);
    apply_answer(&view.session, 0);
    finish(&view.session, 1, 100, 2);
    view_model_look_at_attempt(&view.view_model, 1);
    view.view_model.is_elsewhere = true;
    assert_one_speedup(&view, 2);
    apply_step(&view.session, STEP_KEEP, 1);
    keep(&view.session);
    apply_answer(&view.session, 1);
    finish(&view.session, 2, 50, 6);
    view_model_refresh(&view.view_model);
    assert_one_speedup(&view, 2.449);
    release_view(&view);
}

/* Panes say that a kernel is being judged, and not that none has been built. */
static void a_kernel_without_verdict_is_being_evaluated(void **state)
{
    const struct driver_live live = {.progress.stage = "timing"}, idle = {0};
    struct view view;

    (void)state;
    open_view(&view);
    apply_answer(&view.session, 0);
    view_model_refresh(&view.view_model);
    assert_false(panel_awaits_verdict(&view.view_model));
    view.view_model.live = &idle;
    assert_false(panel_awaits_verdict(&view.view_model));
    view.view_model.live = &live;
    assert_true(panel_awaits_verdict(&view.view_model));
    apply_verdict(&view.session, OUTCOME_CORRECT, 100);
    view_model_refresh(&view.view_model);
    assert_false(panel_awaits_verdict(&view.view_model));
    release_view(&view);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_kernel_without_verdict_is_being_evaluated),
        cmocka_unit_test(texts_in_view_are_read_once),
        cmocka_unit_test(changes_are_of_the_kernels_in_view),
        cmocka_unit_test(advice_is_of_the_attempt_in_view),
        cmocka_unit_test(a_verdict_in_view_follows_the_scale),
    };

    return cmocka_run_group_tests_name("view_model", tests, NULL, NULL);
}
