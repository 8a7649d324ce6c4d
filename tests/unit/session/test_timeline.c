#include "tests/unit/session_events.h"

#include <stdlib.h>
#include <string.h>

#include "core/session/recorded/timeline.h"
#include "core/session/state/fold.h"
#include "core/system/file.h"

/* Open a shipped session at its first event. */
static void open_shipped(struct timeline *timeline)
{
    struct error err = {0};

    assert_int_equal(timeline_open(timeline, "softmax_written", &err), STATUS_OK);
}

static void seek(struct timeline *timeline, size_t place)
{
    struct error err = {0};

    assert_int_equal(timeline_seek(timeline, place, &err), STATUS_OK);
}

static void it_moves_forward_and_back(void **state)
{
    struct timeline timeline;

    (void)state;
    open_shipped(&timeline);
    assert_int_equal(timeline.session.events, 1);
    seek(&timeline, timeline.recording.events.count + 5);
    assert_int_equal(timeline.session.events, timeline.recording.events.count);
    assert_int_equal(timeline.session.now.stage, STAGE_CLOSED);
    assert_int_equal(timeline.session.now.best, timeline.recording.session.now.best);
    seek(&timeline, 12);
    assert_int_equal(timeline.session.events, 12);
    assert_int_equal(timeline.session.attempts.count, 1);
    assert_int_equal(timeline.session.attempts.items[0].outcome, OUTCOME_BUILD_FAILED);
    seek(&timeline, 0);
    assert_int_equal(timeline.place, 1);
    timeline_release(&timeline);
}

/* The state as the screens show it, as text. */
static void describe(const struct session *session, struct strbuf *out)
{
    strbuf_addf(out, "%llu events, stage %u, best %u, %zu notes, %zu undos, $%g\n",
                (unsigned long long)session->events, session->now.stage, session->now.best,
                session->notes.count, session->undos.held, session->used[RESOURCE_USD]);
    for (size_t i = 0; i < session->steps.count; i++)
        strbuf_addf(out, "%s %u %d %s\n", session->steps.items[i].title,
                    session->steps.items[i].decision, session->steps.items[i].is_undone,
                    session->steps.items[i].reason ? session->steps.items[i].reason : "");
    for (size_t i = 0; i < session->undos.count; i++)
        strbuf_addf(out, "undo %u\n", session->undos.items[i].step.number);
    for (size_t i = 0; i < session->attempts.count; i++)
        strbuf_addf(out, "%s %g %s\n", session->attempts.items[i].title,
                    session->attempts.items[i].time.median_us, session->attempts.items[i].commit);
}

static void apply(const struct recording *recording, size_t place, struct session *session)
{
    struct event event = {0};

    assert_int_equal(recording_event(recording, place, &event, NULL), STATUS_OK);
    assert_int_equal(fold_apply(session, &event, NULL), STATUS_OK);
    event_release(&event);
}

/* A seek from anywhere gives the same state as folding all events up to that place. */
static void every_seek_arrives_at_the_same_state(void **state)
{
    struct timeline timeline;
    struct session folded = {0};
    size_t count;

    (void)state;
    open_shipped(&timeline);
    count = timeline.recording.events.count;
    for (size_t place = 1; place <= count; place++) {
        struct strbuf expected = {0}, found = {0};

        apply(&timeline.recording, place - 1, &folded);
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
    timeline_release(&timeline);
}

/*
 * A seek backwards applies only events after the latest mark before the target. The test breaks
 * event 2 to prove it.
 */
static void a_seek_back_starts_from_the_nearest_mark(void **state)
{
    struct timeline timeline;
    struct error err = {0};
    size_t count;

    (void)state;
    open_shipped(&timeline);
    count = timeline.recording.events.count;
    assert_true(timeline.marks.count > 2);
    seek(&timeline, count);
    timeline.recording.lines.data[timeline.recording.events.items[1].line] = '!';
    seek(&timeline, count - 1);
    assert_int_equal(timeline.session.events, count - 1);
    assert_int_equal(timeline_seek(&timeline, 2, &err), STATUS_INVALID);
    assert_string_equal(
        err.text, "event 2: line 1 column 1: not valid JSON: check quotes, commas and brackets");
    timeline_release(&timeline);
}

/* A session as it grows: its journal, and the description of each of its states. */
struct story {
    struct session session;
    struct strbuf journal;
    struct strbuf texts[200];
};

static void record(struct story *story, struct event event)
{
    struct error err = {0};

    event_stamp(&event, story->session.events + 1, "2026-11-20T21:47:03.125Z");
    json_print(event.body, &story->journal);
    strbuf_adds(&story->journal, "\n");
    if (fold_apply(&story->session, &event, &err))
        fail_msg("%s", err.text);
    describe(&story->session, &story->texts[story->session.events]);
    event_release(&event);
}

static void open_story(struct story *story)
{
    const struct session_opened opened = {.session = "1120-214703-3f2a",
                                          .problem = "softmax",
                                          .agent = "builtin",
                                          .language = "opencl",
                                          .limits = {.functional = 99, .optimize = 99}};

    record(story, event_make(EVENT_SESSION_OPENED, &opened));
    record(story, event_make(EVENT_PROBLEM_LOADED,
                             &(struct problem_loaded){.name = "softmax", .text = ID("0")}));
}

/* The engineer refuses a prompt. */
static void veto_prompt(struct story *story)
{
    unsigned step = (unsigned)story->session.steps.count + 1;

    record(story,
           event_make(EVENT_STEP_PROPOSED,
                      &(struct step_proposed){
                          .step = step, .kind = STEP_PROMPT, .title = "prompt", .text = ID("1")}));
    record(story, event_make(EVENT_STEP_DECIDED, &(struct step_decided){.step = step,
                                                                        .decision = DECISION_VETOED,
                                                                        .by = DECIDER_ENGINEER,
                                                                        .reason = "because"}));
}

static void undo(struct story *story)
{
    record(story,
           event_make(EVENT_STEP_UNDONE, &(struct step_undone){session_undoable(&story->session)}));
}

/* Decisions are undone, one is redone, and others are made in their place, across several marks. */
static void record_story(struct story *story)
{
    open_story(story);
    for (unsigned i = 0; i < 20; i++)
        veto_prompt(story);
    for (unsigned i = 0; i < 18; i++)
        undo(story);
    record(story,
           event_make(EVENT_STEP_REDONE, &(struct step_redone){session_redoable(&story->session)}));
    record(story,
           event_make(EVENT_STEP_DECIDED,
                      &(struct step_decided){.step = session_pending(&story->session)->number,
                                             .decision = DECISION_VETOED,
                                             .by = DECIDER_ENGINEER}));
    for (unsigned i = 0; i < 9; i++)
        veto_prompt(story);
}

/* Decisions that replaced undone ones have taken their places in the state. */
static void replaced_decisions_are_found_again(void **state)
{
    char folder[] = "/tmp/kforge-timeline-XXXXXX", *journal;
    struct story *story = mem_alloc_zeroed(1, sizeof(*story));
    struct timeline timeline;
    size_t count;

    (void)state;
    record_story(story);
    assert_non_null(mkdtemp(folder));
    journal = file_join(folder, "events.jsonl");
    assert_int_equal(file_write(journal, story->journal.data, story->journal.len, NULL), STATUS_OK);
    assert_int_equal(timeline_open(&timeline, folder, NULL), STATUS_OK);
    count = timeline.recording.events.count;
    assert_true(timeline.marks.count > 4);
    for (size_t i = 0; i < 2 * count; i++) {
        size_t place = 1 + i * 37 % count;
        struct strbuf found = {0};

        seek(&timeline, place);
        describe(&timeline.session, &found);
        assert_string_equal(strbuf_cstr(&found), strbuf_cstr(&story->texts[place]));
        strbuf_release(&found);
    }
    timeline_release(&timeline);
    file_remove_folder(folder);
    free(journal);
    for (size_t i = 0; i <= count; i++)
        strbuf_release(&story->texts[i]);
    strbuf_release(&story->journal);
    session_release(&story->session);
    free(story);
}

/* A step ends at the last event before the next step is proposed. */
static void a_step_ends_where_the_next_is_proposed(void **state)
{
    struct timeline timeline;

    (void)state;
    open_shipped(&timeline);
    for (unsigned step = 1; step <= timeline.steps.count; step++) {
        seek(&timeline, timeline_end_of_step(&timeline, step));
        assert_int_equal(timeline.session.steps.count, step);
        assert_int_not_equal(timeline.session.steps.items[step - 1].decision, DECISION_PENDING);
    }
    assert_int_equal(timeline.place, timeline.recording.events.count);
    timeline_release(&timeline);
}

static void time_and_places_belong_together(void **state)
{
    struct timeline timeline;

    (void)state;
    open_shipped(&timeline);
    for (size_t place = 1; place <= timeline.recording.events.count; place++) {
        seek(&timeline, place);
        assert_true(timeline_place_at(&timeline, timeline_now_us(&timeline)) >= place);
    }
    assert_int_equal(timeline_place_at(&timeline, timeline_length_us(&timeline)),
                     timeline.recording.events.count);
    assert_int_equal(timeline_now_us(&timeline), timeline_length_us(&timeline));
    timeline_release(&timeline);
}

/* Write a shipped journal with a pause of one day between two of its events. */
static void write_with_a_night(const char *folder)
{
    char *shipped = file_shipped("prompts/sessions/softmax_written/events.jsonl");
    char *journal = file_join(folder, "events.jsonl"), *at;
    struct strbuf text = {0};
    unsigned line = 0;

    assert_int_equal(file_read(shipped, 1 << 20, &text, NULL), STATUS_OK);
    for (at = text.data; (at = strstr(at, "\"at\":\"2026-11-22")); at++)
        if (++line > 20)
            at[strlen("\"at\":\"2026-11-2")] = '4';
    assert_int_equal(file_write(journal, text.data, text.len, NULL), STATUS_OK);
    strbuf_release(&text);
    free(journal);
    free(shipped);
}

/* The timeline shortens the pause. */
static void long_waits_are_shortened(void **state)
{
    char folder[] = "/tmp/kforge-timeline-XXXXXX";
    struct timeline timeline;
    int64_t length_us;

    (void)state;
    open_shipped(&timeline);
    length_us = timeline_length_us(&timeline);
    timeline_release(&timeline);
    assert_non_null(mkdtemp(folder));
    write_with_a_night(folder);
    assert_int_equal(timeline_open(&timeline, folder, NULL), STATUS_OK);
    assert_true(timeline_length_us(&timeline) > length_us);
    assert_true(timeline_length_us(&timeline) <= length_us + TIMELINE_WAIT_US);
    timeline_release(&timeline);
    file_remove_folder(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_moves_forward_and_back),
        cmocka_unit_test(every_seek_arrives_at_the_same_state),
        cmocka_unit_test(a_seek_back_starts_from_the_nearest_mark),
        cmocka_unit_test(replaced_decisions_are_found_again),
        cmocka_unit_test(a_step_ends_where_the_next_is_proposed),
        cmocka_unit_test(time_and_places_belong_together),
        cmocka_unit_test(long_waits_are_shortened),
    };

    return cmocka_run_group_tests_name("timeline", tests, NULL, NULL);
}
