#include "tests/unit/unit.h"

#include <stdio.h>
#include <string.h>

#include "core/session/timeline.h"

/* The session that ships, at its first event. */
static void open_shipped(struct recording *recording, struct timeline *timeline)
{
    struct error err = {0};

    *recording = (struct recording){0};
    assert_int_equal(recording_open("softmax_written", recording, &err), STATUS_OK);
    assert_int_equal(timeline_open(timeline, recording, &err), STATUS_OK);
}

static void seek(struct timeline *timeline, size_t place)
{
    struct error err = {0};

    assert_int_equal(timeline_seek(timeline, place, &err), STATUS_OK);
}

static void close(struct recording *recording, struct timeline *timeline)
{
    timeline_release(timeline);
    recording_release(recording);
}

static void it_goes_on_and_back(void **state)
{
    struct recording recording;
    struct timeline timeline;

    (void)state;
    open_shipped(&recording, &timeline);
    assert_int_equal(timeline.session.events, 1);
    seek(&timeline, recording.events.count + 5);
    assert_int_equal(timeline.session.events, recording.events.count);
    assert_int_equal(timeline.session.now.stage, STAGE_CLOSED);
    assert_int_equal(timeline.session.now.best, recording.session.now.best);
    seek(&timeline, 12);
    assert_int_equal(timeline.session.events, 12);
    assert_int_equal(timeline.session.attempts.count, 1);
    assert_int_equal(timeline.session.attempts.items[0].outcome, OUTCOME_BUILD_FAILED);
    seek(&timeline, 0);
    assert_int_equal(timeline.place, 1);
    close(&recording, &timeline);
}

/* A state as text: what the screens show of it. */
static void describe(const struct session *session, struct strbuf *out)
{
    strbuf_addf(out, "%llu events, stage %u, best %u, %zu notes, %zu undos, $%g\n",
                (unsigned long long)session->events, session->now.stage, session->now.best,
                session->notes.count, session->undos.held, session->used[RESOURCE_USD]);
    for (size_t i = 0; i < session->steps.count; i++)
        strbuf_addf(out, "%s %u %s\n", session->steps.items[i].title,
                    session->steps.items[i].decision,
                    session->steps.items[i].reason ? session->steps.items[i].reason : "");
    for (size_t i = 0; i < session->attempts.count; i++)
        strbuf_addf(out, "%s %g %s\n", session->attempts.items[i].title,
                    session->attempts.items[i].time.median_us, session->attempts.items[i].commit);
}

/* Wherever one comes from, a place is what folding all events up to it makes. */
static void every_jump_arrives_at_the_same_state(void **state)
{
    struct recording recording;
    struct timeline timeline;
    struct session folded = {0};
    size_t count;

    (void)state;
    open_shipped(&recording, &timeline);
    count = recording.events.count;
    for (size_t place = 1; place <= count; place++) {
        struct strbuf expected = {0}, found = {0};

        assert_int_equal(session_apply(&folded, &recording.events.items[place - 1], NULL),
                         STATUS_OK);
        describe(&folded, &expected);
        for (size_t from = 1; from <= count; from++) {
            seek(&timeline, from);
            seek(&timeline, place);
            found.len = 0;
            describe(&timeline.session, &found);
            assert_string_equal(strbuf_cstr(&found), strbuf_cstr(&expected));
        }
        strbuf_release(&expected);
        strbuf_release(&found);
    }
    session_release(&folded);
    close(&recording, &timeline);
}

/* Going somewhere applies no more than a part of the events. */
static void no_place_is_far(void **state)
{
    struct recording recording;
    struct timeline timeline;
    size_t count;

    (void)state;
    open_shipped(&recording, &timeline);
    count = recording.events.count;
    for (size_t i = 0; i < TIMELINE_KEPT; i++)
        assert_int_equal(timeline.kept[i].events, count * (i + 1) / (TIMELINE_KEPT + 1));
    event_release(&recording.events.items[0]);
    recording.events.items[0] = (struct event){0};
    seek(&timeline, count);
    seek(&timeline, count - 1); /* the first event is not needed for it */
    assert_int_equal(timeline.session.events, count - 1);
    close(&recording, &timeline);
}

/* A step's end is where all has happened that it led to. */
static void a_step_ends_where_the_next_is_proposed(void **state)
{
    struct recording recording;
    struct timeline timeline;

    (void)state;
    open_shipped(&recording, &timeline);
    for (unsigned step = 1; step <= timeline.steps.count; step++) {
        seek(&timeline, timeline_end_of_step(&timeline, step));
        assert_int_equal(timeline.session.steps.count, step);
        assert_int_not_equal(timeline.session.steps.items[step - 1].decision, DECISION_PENDING);
    }
    assert_int_equal(timeline.place, recording.events.count);
    close(&recording, &timeline);
}

static void time_and_places_belong_together(void **state)
{
    struct recording recording;
    struct timeline timeline;

    (void)state;
    open_shipped(&recording, &timeline);
    for (size_t place = 1; place <= recording.events.count; place++) {
        seek(&timeline, place);
        assert_true(timeline_place_at(&timeline, timeline_now_us(&timeline)) >= place);
    }
    assert_int_equal(timeline_place_at(&timeline, timeline_length_us(&timeline)),
                     recording.events.count);
    assert_int_equal(timeline_now_us(&timeline), timeline_length_us(&timeline));
    close(&recording, &timeline);
}

/* The engineer's night is not played. */
static void long_waits_are_short(void **state)
{
    struct recording recording;
    struct timeline timeline;
    int64_t length_us;

    (void)state;
    open_shipped(&recording, &timeline);
    length_us = timeline_length_us(&timeline);
    timeline_release(&timeline);
    for (size_t i = 20; i < recording.events.count; i++) {
        struct event *event = &recording.events.items[i];
        char at[CLOCK_STAMP_SIZE];

        snprintf(at, sizeof(at), "2026-11-24%s", event_time(event) + strlen("2026-11-22"));
        json_put_string(event->body, "at", at);
    }
    assert_int_equal(timeline_open(&timeline, &recording, NULL), STATUS_OK);
    assert_true(timeline_length_us(&timeline) > length_us);
    assert_true(timeline_length_us(&timeline) <= length_us + TIMELINE_WAIT_US);
    close(&recording, &timeline);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_goes_on_and_back),
        cmocka_unit_test(every_jump_arrives_at_the_same_state),
        cmocka_unit_test(no_place_is_far),
        cmocka_unit_test(a_step_ends_where_the_next_is_proposed),
        cmocka_unit_test(time_and_places_belong_together),
        cmocka_unit_test(long_waits_are_short),
    };

    return cmocka_run_group_tests_name("timeline", tests, NULL, NULL);
}
