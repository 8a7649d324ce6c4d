#include "tests/unit/provider_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/llm/providers.h"
#include "core/system/loop.h"

/* Tests of a provider: replies, and the end of a conversation. */

static void check_good_reply(struct provider_fixture *fixture)
{
    assert_replied(fixture, "kernel void add() {} // \xE2\x82\xAC");
    assert_int_equal(fixture->notice_count, 0);
    assert_true(fixture->usage.has_tokens);
    assert_int_equal(fixture->usage.prompt_tokens, 321);
    assert_int_equal(fixture->usage.reply_tokens, 45);
    assert_true(fixture->usage.first_text_us > 0);
    assert_true(fixture->usage.latency_us >= fixture->usage.first_text_us);
}

#define EURO_REPLY "'reply': 'kernel void add() {} // \xE2\x82\xAC', 'usage': [321, 45]"

static void streams_a_reply(void **state)
{
    provider_fixture_for_each_protocol(state, "{" EURO_REPLY "}", check_good_reply);
}

static void puts_bytes_together_that_come_apart(void **state)
{
    provider_fixture_for_each_protocol(state, "{" EURO_REPLY ", 'write_bytes': 1}",
                                       check_good_reply);
}

static void holds_back_a_code_point_cut_between_parts(void **state)
{
    provider_fixture_for_each_protocol(state, "{" EURO_REPLY ", 'piece_bytes': 1}",
                                       check_good_reply);
}

static void passes_over_keep_alive_comments(void **state)
{
    provider_fixture_for_each_protocol(state, "{" EURO_REPLY ", 'comments': 3}", check_good_reply);
}

static void reads_a_document_from_a_server_that_does_not_stream(void **state)
{
    provider_fixture_for_each_protocol(state, "{" EURO_REPLY ", 'document': true}",
                                       check_good_reply);
}

static void check_cached_usage(struct provider_fixture *fixture)
{
    check_good_reply(fixture);
    assert_int_equal(fixture->usage.cached_tokens, 300);
}

static void counts_what_the_server_had_cached(void **state)
{
    static const char reply[] =
        "'reply': 'kernel void add() {} // \xE2\x82\xAC', 'usage': [321, 45, 300]";
    char entry[128];

    snprintf(entry, sizeof(entry), "{%s}", reply);
    provider_fixture_for_each_protocol(state, entry, check_cached_usage);
    snprintf(entry, sizeof(entry), "{%s, 'document': true}", reply);
    provider_fixture_for_each_protocol(state, entry, check_cached_usage);
}

static void check_thoughtful_reply(struct provider_fixture *fixture)
{
    check_good_reply(fixture);
    assert_string_equal(strbuf_cstr(&fixture->thoughts), "Let me see: 3 \xE2\x82\xAC.");
}

static void keeps_what_the_model_thinks_out_of_the_reply(void **state)
{
    static const char thinking[] = "'thinking': 'Let me see: 3 \xE2\x82\xAC.'";
    char entry[160];

    snprintf(entry, sizeof(entry), "{" EURO_REPLY ", %s, 'piece_chars': 5}", thinking);
    provider_fixture_for_each_protocol(state, entry, check_thoughtful_reply);
    snprintf(entry, sizeof(entry), "{" EURO_REPLY ", %s, 'document': true}", thinking);
    provider_fixture_for_each_protocol(state, entry, check_thoughtful_reply);
}

/* The reply takes longer in total than the server may be silent. */
static void waits_for_a_slow_server_to_finish(void **state)
{
    setenv("KFORGE_HTTP_SILENCE_MS", "1500", 1);
    provider_fixture_serve(*state, "{" EURO_REPLY ", 'piece_chars': 1, 'pause_ms': 70}");
    provider_fixture_ask(*state, "openai:m-1");
    check_good_reply(*state);
    assert_true(((struct provider_fixture *)*state)->usage.latency_us > 1500000);
}

static void replies_from_a_file(void **state)
{
    provider_fixture_write_file(*state, "reply", "ok");
    provider_fixture_serve(*state, "{'reply_file': 'reply'}");
    provider_fixture_ask(*state, "openai:m-1");
    assert_replied_ok(*state);
}

static void says_when_the_counts_are_unknown(void **state)
{
    struct provider_fixture *fixture = *state;

    provider_fixture_serve(fixture, "{'reply': 'ok', 'usage': null}");
    provider_fixture_ask(fixture, "openai:m-1");
    assert_replied_ok(fixture);
    assert_false(fixture->usage.has_tokens);
}

/* Cancel the first exchange, start a second, and discard the text of the first. */
static void is_quiet_after_cancel(void **state)
{
    provider_fixture_serve(
        *state, "{'reply': 'half a kernel and more of it', 'then': 'silence'}, {'reply': 'ok'}");
    ((struct provider_fixture *)*state)->on_text = provider_fixture_cancel_and_ask_again;
    provider_fixture_ask(*state, "openai:m-1");
    assert_replied_ok(*state);
}

static void is_quiet_after_cancel_at_once(void **state)
{
    struct provider_fixture *fixture = *state;

    provider_fixture_serve(fixture, "{'reply': 'ok'}");
    assert_int_equal(providers_open(fixture->loop, "openai:m-1", &fixture->provider, NULL),
                     STATUS_OK);
    provider_fixture_send(fixture);
    provider_fixture_cancel_and_ask_again(fixture);
    loop_run(fixture->loop);
    assert_int_equal(fixture->end_count, 1);
    assert_replied_ok(fixture);
}

static void can_be_closed_while_it_tells(void **state)
{
    struct provider_fixture *fixture = *state;

    provider_fixture_serve(fixture, "{'reply': 'ok'}, {'reply': 'ok'}");
    fixture->on_end = provider_fixture_close;
    provider_fixture_ask(fixture, "openai:m-1");
    assert_replied_ok(fixture);
    fixture->on_text = provider_fixture_close;
    assert_int_equal(providers_open(fixture->loop, "openai:m-1", &fixture->provider, NULL),
                     STATUS_OK);
    provider_fixture_send(fixture);
    loop_run(fixture->loop);
    assert_int_equal(fixture->end_count, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) \
    cmocka_unit_test_setup_teardown(name, provider_fixture_set_up, provider_fixture_tear_down)
        TEST(streams_a_reply),
        TEST(puts_bytes_together_that_come_apart),
        TEST(holds_back_a_code_point_cut_between_parts),
        TEST(passes_over_keep_alive_comments),
        TEST(reads_a_document_from_a_server_that_does_not_stream),
        TEST(counts_what_the_server_had_cached),
        TEST(keeps_what_the_model_thinks_out_of_the_reply),
        TEST(waits_for_a_slow_server_to_finish),
        TEST(replies_from_a_file),
        TEST(says_when_the_counts_are_unknown),
        TEST(is_quiet_after_cancel),
        TEST(is_quiet_after_cancel_at_once),
        TEST(can_be_closed_while_it_tells),
    };

    return cmocka_run_group_tests_name("provider", tests, NULL, NULL);
}
