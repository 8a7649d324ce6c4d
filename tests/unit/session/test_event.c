#include "tests/unit/unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/session/state/event.h"
#include "core/session/state/event_summary.h"
#include "tests/unit/session_events.h"

#define STAMP "2026-11-20T21:47:03.125Z"

/* Print the event as a journal line and parse it again. */
static struct event pass_through_line(struct event event)
{
    struct strbuf line = {0};
    struct event back = {0};
    struct error err = {0};

    event_stamp(&event, 7, STAMP);
    json_print(event.body, &line);
    assert_null(strchr(strbuf_cstr(&line), '\n'));
    assert_int_equal(event_parse(&back, strbuf_cstr(&line), "events.jsonl:7", &err), STATUS_OK);
    assert_int_equal(back.seq, 7);
    assert_int_equal(back.type, event.type);
    assert_string_equal(event_time(&back), STAMP);
    strbuf_release(&line);
    event_release(&event);
    return back;
}

static union event_data decoded(const struct event *event)
{
    union event_data data = {0};
    struct error err = {0};

    if (event_decode(event, "event 7", &data, &err))
        fail_msg("%s", err.text);
    return data;
}

static void line_begins_with_place_time_and_type(void **state)
{
    struct event event = event_make(EVENT_NOTE, &(struct note){"keep the tile square"});
    struct strbuf line = {0};

    (void)state;
    event_stamp(&event, 12, STAMP);
    json_print(event.body, &line);
    assert_string_equal(strbuf_cstr(&line), "{\"seq\":12,\"at\":\"" STAMP "\",\"type\":\"note\","
                                            "\"text\":\"keep the tile square\"}");
    event_stamp(&event, 13, STAMP);
    assert_int_equal(event.seq, 13);
    assert_int_equal((int)json_get_number(event.body, "seq", 0), 13);
    strbuf_release(&line);
    event_release(&event);
}

static void opening_keeps_limits_and_policy(void **state)
{
    struct session_opened opened = {
        .session = "s",
        .problem = "softmax",
        .agent = "openai:gpt-5",
        .limits = {.functional = 5, .optimize = 8, .flat = 3, .budget = {1.5, 2e6, 0.25}},
        .policy = {.modes = {[STEP_KEEP] = GATE_ASK}},
    };
    struct event event = pass_through_line(event_make(EVENT_SESSION_OPENED, &opened));
    union event_data data = decoded(&event);

    (void)state;
    assert_string_equal(data.session_opened.agent, "openai:gpt-5");
    assert_null(data.session_opened.device);
    assert_memory_equal(&data.session_opened.limits, &opened.limits, sizeof(opened.limits));
    assert_memory_equal(&data.session_opened.policy, &opened.policy, sizeof(opened.policy));
    for (int kind = 0; kind < STEP_KINDS; kind++)
        assert_non_null(
            json_get(json_get(event.body, "policy"), step_kind_name((enum step_kind)kind)));
    event_release(&event);
}

static void steps_survive_the_line(void **state)
{
    struct event event = pass_through_line(
        event_make(EVENT_STEP_PROPOSED, &(struct step_proposed){.step = 4,
                                                                .kind = STEP_RECOMMENDATION,
                                                                .attempt = 2,
                                                                .title = "wider loads",
                                                                .text = ID("a"),
                                                                .change = "load 8 at a time",
                                                                .has_gain = true,
                                                                .gain = 1.2}));
    union event_data data = decoded(&event);

    (void)state;
    assert_int_equal(data.step_proposed.step, 4);
    assert_int_equal(data.step_proposed.kind, STEP_RECOMMENDATION);
    assert_string_equal(data.step_proposed.text, ID("a"));
    assert_string_equal(data.step_proposed.change, "load 8 at a time");
    assert_true(data.step_proposed.has_gain);
    assert_true(data.step_proposed.gain == 1.2);
    event_release(&event);

    event = pass_through_line(event_make(
        EVENT_STEP_DECIDED,
        &(struct step_decided){
            .step = 4, .decision = DECISION_VETOED, .by = DECIDER_POLICY, .reason = "no"}));
    data = decoded(&event);
    assert_int_equal(data.step_decided.decision, DECISION_VETOED);
    assert_int_equal(data.step_decided.by, DECIDER_POLICY);
    assert_string_equal(data.step_decided.reason, "no");
    assert_null(data.step_decided.text);
    event_release(&event);
}

static void measured_numbers_are_absent_where_unknown(void **state)
{
    struct event event = pass_through_line(
        event_make(EVENT_EVALUATION_FINISHED,
                   &(struct evaluation_finished){.attempt = 3, .outcome = OUTCOME_BUILD_FAILED}));

    (void)state;
    assert_null(json_get(event.body, "median_us"));
    assert_null(json_get(event.body, "speedup"));
    assert_null(json_get(event.body, "gain"));
    assert_false(decoded(&event).evaluation_finished.is_timed);
    assert_int_equal(decoded(&event).evaluation_finished.outcome, OUTCOME_BUILD_FAILED);
    event_release(&event);
}

static void ratios_survive_the_line(void **state)
{
    const struct evaluation_finished finished = {.attempt = 3,
                                                 .outcome = OUTCOME_CORRECT,
                                                 .over = "compile",
                                                 .has_speedup = true,
                                                 .speedup = 1.5,
                                                 .has_gain = true,
                                                 .gain = 1.25,
                                                 .gain_high = (double)INFINITY,
                                                 .timed_with = 2,
                                                 .has_first_gain = true,
                                                 .first_gain = 4};
    struct event event = pass_through_line(event_make(EVENT_EVALUATION_FINISHED, &finished));
    const struct evaluation_finished read = decoded(&event).evaluation_finished;

    (void)state;
    assert_string_equal(read.over, "compile");
    assert_true(read.has_speedup && read.has_gain && read.has_first_gain);
    assert_true(read.gain == 1.25 && read.gain_low == 0 && isinf(read.gain_high));
    assert_int_equal(read.timed_with, 2);
    assert_true(read.first_gain == 4);
    event_release(&event);
}

static void a_verdict_is_summarised(void **state)
{
    struct comparison against[] = {
        {.name = (char[]){"reference"}, .time = {180, 0, 0}, .speedup = 2.5},
        {.name = (char[]){"best"}, .speedup = 1.1, .speedup_low = 1.05, .speedup_high = 1.15},
        {.name = (char[]){"first"}, .speedup = 9, .speedup_low = 8.9, .speedup_high = 9.1},
        {.name = (char[]){"eager"}, .time = {90, 0, 0}, .speedup = 1.25, .speedup_low = 1.2},
    };
    struct verdict verdict = {
        .outcome = OUTCOME_CORRECT,
        .timing = {.is_present = true, .time = {71.8, 71.4, 72.2}},
        .against = {.items = against, .count = 4},
        .bound = {.is_present = true, .fraction = 0.41},
    };
    struct evaluation_finished finished = event_summary_of(&verdict);

    (void)state;
    assert_int_equal(finished.outcome, OUTCOME_CORRECT);
    assert_true(finished.is_timed && finished.median_us == 71.8 && finished.high_us == 72.2);
    assert_true(finished.has_speedup && finished.speedup == 1.25 && finished.speedup_low == 1.2);
    assert_string_equal(finished.over, "eager");
    assert_true(finished.has_gain && finished.gain == 1.1 && finished.gain_low == 1.05);
    assert_true(finished.gain_high == 1.15 && finished.has_first_gain);
    assert_true(finished.first_gain == 9 && finished.first_gain_low == 8.9);
    assert_true(finished.has_bound && finished.bound_fraction == 0.41);

    finished = event_summary_of(&(struct verdict){.outcome = OUTCOME_CRASHED});
    assert_false(finished.is_timed || finished.has_speedup || finished.has_gain ||
                 finished.has_first_gain || finished.has_bound);
}

static void hostile_text_becomes_valid_utf8(void **state)
{
    struct event event = pass_through_line(event_make(EVENT_NOTE, &(struct note){"a\xff\n\x01z"}));

    (void)state;
    assert_string_equal(decoded(&event).note.text, "a\xef\xbf\xbd\n\x01z");
    event_release(&event);
}

static void assert_refused_as(enum status code, const char *line, const char *text)
{
    union event_data data;
    struct event event = {0};
    struct error err = {0};
    enum status st = event_parse(&event, line, "events.jsonl:12", &err);

    if (!st)
        st = event_decode(&event, "events.jsonl:12", &data, &err);
    event_release(&event);
    assert_int_equal(st, code);
    assert_string_equal(err.text, text);
}

static void assert_refused(const char *line, const char *text)
{
    assert_refused_as(STATUS_INVALID, line, text);
}

#define HEAD "{\"seq\":12,\"at\":\"" STAMP "\",\"type\":"

static void broken_lines_say_what_was_expected(void **state)
{
    (void)state;
    assert_refused(
        "{\"seq\":1",
        "events.jsonl:12: line 1 column 8: not valid JSON: check quotes, commas and brackets");
    assert_refused("[]", "events.jsonl:12: expected an object, found an array");
    assert_refused("{\"seq\":\"1\"}", "events.jsonl:12: seq: expected a number, found a text");
    assert_refused("{\"seq\":0,\"at\":\"\",\"type\":\"note\"}",
                   "events.jsonl:12: seq: expected a number from 1 on, found 0");
    assert_refused(HEAD "\"tea\"}", "events.jsonl:12: type: unknown type of event \"tea\"");
    assert_refused(HEAD "\"note\"}", "events.jsonl:12: text: missing");
    assert_refused(HEAD "\"note\",\"text\":1}",
                   "events.jsonl:12: text: expected a text, found a number");
    assert_refused(HEAD "\"candidate.kept\",\"attempt\":1,\"commit\":\"c3a91f\"}",
                   "events.jsonl:12: commit: expected an object id, found \"c3a91f\"");
    assert_refused(HEAD "\"evaluation.finished\",\"attempt\":1,\"outcome\":\"fine\"}",
                   "events.jsonl:12: outcome: no outcome \"fine\"");
    assert_refused_as(
        STATUS_UNAVAILABLE, HEAD "\"session.opened\",\"kforge\":2}",
        "events.jsonl:12: was written by a newer version of kforge: install that version");
}

static void unknown_members_are_ignored(void **state)
{
    struct event event = {0};
    struct error err = {0};

    (void)state;
    assert_int_equal(event_parse(&event, HEAD "\"note\",\"text\":\"t\",\"mood\":1}", "x", &err),
                     STATUS_OK);
    assert_string_equal(decoded(&event).note.text, "t");
    event_release(&event);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(line_begins_with_place_time_and_type),
        cmocka_unit_test(opening_keeps_limits_and_policy),
        cmocka_unit_test(steps_survive_the_line),
        cmocka_unit_test(measured_numbers_are_absent_where_unknown),
        cmocka_unit_test(ratios_survive_the_line),
        cmocka_unit_test(a_verdict_is_summarised),
        cmocka_unit_test(hostile_text_becomes_valid_utf8),
        cmocka_unit_test(broken_lines_say_what_was_expected),
        cmocka_unit_test(unknown_members_are_ignored),
    };

    return cmocka_run_group_tests_name("event", tests, NULL, NULL);
}
