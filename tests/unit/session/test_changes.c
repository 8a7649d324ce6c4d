#include "tests/unit/session_back.h"
#include "tests/unit/session_events.h"

/*
 * Random sessions (test_random_sessions.c) go back over most types of events; here are the others.
 */

static void apply_both_ways(struct session *session, struct event event)
{
    struct error err = {0};

    event_stamp(&event, session->events + 1, "2026-11-20T21:47:03.125Z");
    if (apply_back_and_forth(session, &event, &err))
        fail_msg("%s", err.text);
    event_release(&event);
}

static void apply_baseline(struct session *session, unsigned attempt, double speedup)
{
    apply_both_ways(session, event_make(EVENT_BASELINES_TIMED,
                                        &(struct baselines_timed){.attempt = attempt,
                                                                  .verdict = ID("4"),
                                                                  .over = "library",
                                                                  .speedup = speedup,
                                                                  .speedup_low = speedup - 0.1,
                                                                  .speedup_high = speedup + 0.1}));
}

static void late_baselines_tags_and_attachments_are_taken_back(void **state)
{
    struct session session = {0};

    (void)state;
    apply_opening(&session, roomy);
    apply_round(&session, 80, DECISION_ACCEPTED);
    apply_round(&session, 60, DECISION_ACCEPTED);
    apply_both_ways(&session, event_make(EVENT_BASELINES_TIMED,
                                         &(struct baselines_timed){.attempt = 2,
                                                                   .verdict = ID("4"),
                                                                   .over = "library",
                                                                   .speedup = 2,
                                                                   .speedup_low = 1.9,
                                                                   .speedup_high = 2.1}));
    apply_baseline(&session, 1, 3);
    assert_int_equal(session.baselines.count, 1);
    apply_baseline(&session, 2, 2);
    apply_baseline(&session, 1, 3);
    assert_int_equal(session.baselines.count, 1);
    apply_both_ways(&session,
                    event_make(EVENT_CANDIDATE_TAGGED, &(struct candidate_tagged){1, "fast"}));
    apply_both_ways(&session,
                    event_make(EVENT_CANDIDATE_TAGGED, &(struct candidate_tagged){1, ""}));
    apply_both_ways(&session,
                    event_make(EVENT_ATTACHMENT, &(struct attachment){.name = "a.png",
                                                                      .media_type = "image/png",
                                                                      .text = ID("5")}));
    assert_int_equal(session.attachments.count, 1);
    session_release(&session);
}

/* A round changes little, however long the session is. */
static void a_round_notes_only_what_it_changes(void **state)
{
    struct session session = {0};
    struct changes changes = {0};

    (void)state;
    apply_opening(&session, (struct limits){.functional = 99, .optimize = 99});
    for (int i = 0; i < 40; i++)
        apply_round(&session, 100 - i, DECISION_ACCEPTED);
    changes_begin(&changes, &session);
    session.changes = &changes;
    apply_round(&session, 50, DECISION_ACCEPTED);
    assert_true(changes.items.len < sizeof(struct undo));
    session.changes = NULL;
    strbuf_release(&changes.items);
    session_release(&session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(late_baselines_tags_and_attachments_are_taken_back),
        cmocka_unit_test(a_round_notes_only_what_it_changes),
    };

    return cmocka_run_group_tests_name("changes", tests, NULL, NULL);
}
