#include "tests/unit/history_fixture.h"
#include "tests/unit/session_events.h"

#include <math.h>
#include <string.h>

#include "core/session/driver/briefing.h"

/* Store a text, and name it in a member of the session. */
static void put(struct history *history, const char *text, char id[OBJECT_ID_SIZE])
{
    assert_int_equal(history_put(history, text, strlen(text), id, NULL), STATUS_OK);
}

static void put_device(struct history *history, char id[OBJECT_ID_SIZE])
{
    const struct device_info device = {.id = (char[]){"opencl:0"},
                                       .name = (char[]){"device"},
                                       .platform = (char[]){"platform"},
                                       .language = (char[]){"opencl"}};
    struct strbuf text = {0};

    device_description_print(&device, &(struct roofs){0}, &text);
    put(history, strbuf_cstr(&text), id);
    strbuf_release(&text);
}

static void put_verdict(struct history *history, const struct evaluation_finished *finished,
                        char id[OBJECT_ID_SIZE])
{
    const struct verdict verdict = {
        .outcome = OUTCOME_CORRECT,
        .profile = {.is_present = true, .source = (char[]){"ncu"}},
        .timing = {.is_present = true,
                   .time = {finished->median_us, finished->median_us, finished->median_us}}};
    struct json *json = verdict_encode(&verdict);
    struct strbuf text = {0};

    json_print(json, &text);
    put(history, strbuf_cstr(&text), id);
    strbuf_release(&text);
    json_free(json);
}

/*
 * The second attempt was timed at a slow moment: 900 us, but twice as fast as the first one, which
 * took 1000 us.
 */
static void brief_agent(struct session *session, struct history *history)
{
    const struct evaluation_finished finished = {.attempt = 2,
                                                 .outcome = OUTCOME_CORRECT,
                                                 .verdict = ID("3"),
                                                 .is_timed = true,
                                                 .median_us = 900,
                                                 .low_us = 890,
                                                 .high_us = 910,
                                                 .has_gain = true,
                                                 .gain = 2,
                                                 .gain_low = 1.9,
                                                 .gain_high = 2.1,
                                                 .timed_with = 1};
    struct step_proposed advice = {.step = 4,
                                   .kind = STEP_RECOMMENDATION,
                                   .attempt = 1,
                                   .title = "advice",
                                   .text = ID("1"),
                                   .change = "wider loads",
                                   .has_gain = true,
                                   .gain = 1.5};

    apply_opening(session, roomy);
    apply_round(session, 1000, DECISION_ACCEPTED);
    apply_reply(session, "analyse");
    apply_event(session, event_make(EVENT_STEP_PROPOSED, &advice));
    apply_decision(session, DECISION_ACCEPTED);
    apply_answer(session, 1);
    apply_event(session, event_make(EVENT_EVALUATION_FINISHED, &finished));
    apply_step(session, STEP_KEEP, 2);
    apply_decision(session, DECISION_ACCEPTED);
    apply_commit(session);
    put_device(history, session->device_description);
    put(history, "A reply.\n", session->attempts.items[1].candidate);
    put_verdict(history, &finished, session->attempts.items[1].verdict);
}

static void an_agent_is_told_times_of_the_scale(void **state)
{
    struct history *history = history_fixture_open(history_fixture_path("briefing"));
    struct session session = {0};
    struct briefing briefing = {0};
    struct error err;

    (void)state;
    brief_agent(&session, history);
    if (briefing_make(&briefing, TASK_GENERATE, &session, history, &err))
        fail_msg("%s", err.text);
    assert_true(fabs(briefing.brief.verdict->timing.time.median_us - 500) < 1e-9);
    assert_int_equal(briefing.brief.record_count, 1);
    assert_true(briefing.brief.records[0].gained == 2);
    assert_true(briefing.brief.records[0].promised == 1.5);
    briefing_release(&briefing);
    session_release(&session);
    history_close(history);
}

/* Ablations: agents see no profile, or choose each change by themselves. */
static void roles_hide_the_profile_and_the_analyst(void **state)
{
    struct history *history = history_fixture_open(history_fixture_path("roles"));
    struct session session = {0};
    struct error err;

    (void)state;
    brief_agent(&session, history);
    for (int is_without = 0; is_without < 2; is_without++) {
        struct briefing briefing = {0};

        session.roles.without_profile = is_without;
        session.roles.analyst = is_without ? ROLES_NOBODY : NULL;
        if (briefing_make(&briefing, TASK_GENERATE, &session, history, &err))
            fail_msg("%s", err.text);
        assert_int_equal(briefing.brief.verdict->profile.is_present, !is_without);
        assert_int_equal(briefing.brief.is_unadvised, is_without);
        briefing_release(&briefing);
    }
    session_release(&session);
    history_close(history);
}

/* Without an analyst, a writer is told what it tried itself. */
static void an_unadvised_writer_is_told_what_it_tried(void **state)
{
    const struct evaluation_finished finished = {.median_us = 900};
    struct history *history = history_fixture_open(history_fixture_path("unadvised"));
    struct session session = {0};
    struct briefing briefing = {0};
    struct error err;

    (void)state;
    apply_opening(&session, roomy);
    session.roles.analyst = ROLES_NOBODY;
    apply_round(&session, 1000, DECISION_ACCEPTED);
    apply_round(&session, 900, DECISION_ACCEPTED);
    put_device(history, session.device_description);
    put(history, "A reply.\n", session.attempts.items[1].candidate);
    put_verdict(history, &finished, session.attempts.items[1].verdict);
    if (briefing_make(&briefing, TASK_GENERATE, &session, history, &err))
        fail_msg("%s", err.text);
    assert_int_equal(briefing.brief.record_count, 1);
    assert_string_equal(briefing.brief.records[0].change, session.attempts.items[1].title);
    assert_true(briefing.brief.records[0].promised == 0);
    briefing_release(&briefing);
    session_release(&session);
    history_close(history);
}

/* A change that was asked for again or vetoed. */
static void agents_are_told_what_was_refused(void **state)
{
    struct history *history = history_fixture_open(history_fixture_path("refused"));
    struct step_proposed advice = {.kind = STEP_RECOMMENDATION,
                                   .attempt = 2,
                                   .title = "advice",
                                   .text = ID("1"),
                                   .change = "a tile in local memory"};
    struct session session = {0};
    struct error err;

    (void)state;
    brief_agent(&session, history);
    for (size_t count = 1; count <= 2; count++) {
        struct briefing briefing = {0};

        apply_reply(&session, "analyse");
        advice.step = (unsigned)session.steps.count + 1;
        apply_event(&session, event_make(EVENT_STEP_PROPOSED, &advice));
        apply_decision(&session, count == 1 ? DECISION_RETRIED : DECISION_VETOED);
        if (briefing_make(&briefing, TASK_GENERATE, &session, history, &err))
            fail_msg("%s", err.text);
        assert_int_equal(briefing.brief.refused_count, count);
        assert_string_equal(briefing.brief.refused[count - 1], advice.change);
        briefing_release(&briefing);
    }
    session_release(&session);
    history_close(history);
}

/* From the next prompt on the best kernel is the reference, and the first version is written anew.
 */
static void another_language_begins_with_the_best_kernel(void **state)
{
    const char *kernel = "```c\nbest\n```\n```json\n{}\n```\n";
    struct history *history = history_fixture_open(history_fixture_path("language"));
    struct session session = {0};
    struct briefing briefing = {0};
    struct error err;

    (void)state;
    brief_agent(&session, history);
    put(history, kernel, session.attempts.items[1].candidate);
    apply_event(&session, event_make(EVENT_LANGUAGE_CHANGED, &(struct language_changed){"cuda"}));
    assert_string_equal(session_language(&session, 2), "opencl");
    assert_string_equal(session_language(&session, 0), "cuda");
    assert_null(briefing_subject(TASK_GENERATE, &session));
    assert_int_equal(briefing_subject(TASK_ANALYSE, &session)->number, 2);
    if (briefing_make(&briefing, TASK_GENERATE, &session, history, &err))
        fail_msg("%s", err.text);
    assert_string_equal(brief_language(&briefing.brief), "cuda");
    assert_null(briefing.brief.previous_reply);
    assert_null(briefing.brief.recommendation);
    assert_string_equal(briefing.brief.reference, "best\n");
    assert_string_equal(briefing.brief.reference_name, "kernel.cl");
    briefing_release(&briefing);
    session_release(&session);
    history_close(history);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(another_language_begins_with_the_best_kernel),
        cmocka_unit_test(agents_are_told_what_was_refused),
        cmocka_unit_test(an_agent_is_told_times_of_the_scale),
        cmocka_unit_test(roles_hide_the_profile_and_the_analyst),
        cmocka_unit_test(an_unadvised_writer_is_told_what_it_tried),
    };

    return cmocka_run_group_tests_name("briefing", tests, history_fixture_set_up,
                                       history_fixture_tear_down);
}
