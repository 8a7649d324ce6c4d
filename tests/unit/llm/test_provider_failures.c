#include "tests/unit/provider_fixture.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Tests of a provider: servers that fail, refuse or fall silent, and the next try. */

static void check_mid_stream_error(struct provider_fixture *fixture)
{
    assert_string_equal(strbuf_cstr(&fixture->text), "half a ker");
    assert_failed(fixture, STATUS_INVALID, ": the engine with *** died");
}

static void fails_with_the_error_that_the_stream_brings(void **state)
{
    provider_fixture_for_each_protocol(state,
                                       "{'reply': 'half a ker', 'then': 'error',"
                                       " 'message': 'the engine with sk-never-to-be-seen died'}",
                                       check_mid_stream_error);
}

static void check_cut_off(struct provider_fixture *fixture)
{
    assert_string_equal(strbuf_cstr(&fixture->text), "half a ker");
    assert_failed(fixture, STATUS_IO, "cut its answer off");
    assert_int_equal(fixture->notice_count, 0);
}

static void fails_when_cut_off_after_text(void **state)
{
    provider_fixture_for_each_protocol(state, "{'reply': 'half a ker', 'then': 'cut'}",
                                       check_cut_off);
}

static void tries_again_when_cut_off_before_text(void **state)
{
    provider_fixture_for_each_protocol(state, "{'reply': '', 'then': 'cut'}, {'reply': 'ok'}",
                                       assert_replied_ok);
}

static void fails_when_the_server_falls_silent(void **state)
{
    setenv("KFORGE_HTTP_SILENCE_MS", "300", 1);
    provider_fixture_serve(*state, "{'reply': 'half a ker', 'then': 'silence'}");
    provider_fixture_ask(*state, "openai:m-1");
    assert_failed(*state, STATUS_TIMEOUT, "sent nothing for 0.3 s");
}

static void fails_when_the_server_never_answers(void **state)
{
    setenv("KFORGE_HTTP_FIRST_BYTE_MS", "50", 1);
    provider_fixture_serve(*state, "{'silent': true}");
    provider_fixture_ask(*state, "openai:m-1");
    assert_failed(*state, STATUS_TIMEOUT, "did not answer in time");
}

static void check_cut_by_limit(struct provider_fixture *fixture)
{
    assert_failed(fixture, STATUS_INVALID, "limit of tokens");
}

static void fails_when_the_reply_reaches_the_limit(void **state)
{
    provider_fixture_serve(*state, "{'reply': 'half a ker', 'finish': 'length'}");
    provider_fixture_ask(*state, "openai:m-1");
    check_cut_by_limit(*state);
    provider_fixture_restart(state);
    provider_fixture_serve(*state, "{'reply': 'half a ker', 'finish': 'max_tokens'}");
    provider_fixture_ask(*state, "anthropic:m-1");
    check_cut_by_limit(*state);
}

static void check_empty(struct provider_fixture *fixture)
{
    assert_failed(fixture, STATUS_INVALID, "the reply is empty");
}

static void fails_when_the_reply_is_empty(void **state)
{
    provider_fixture_for_each_protocol(state, "{'reply': ''}", check_empty);
}

static void fails_when_parts_do_not_end(void **state)
{
    provider_fixture_serve(*state, "{'endless': 'parts'}");
    provider_fixture_ask(*state, "openai:m-1");
    assert_failed(*state, STATUS_INVALID, "sent a longer answer than kforge accepts");
}

static void fails_when_a_line_does_not_end(void **state)
{
    provider_fixture_serve(*state, "{'endless': 'line'}");
    provider_fixture_ask(*state, "openai:m-1");
    assert_failed(*state, STATUS_INVALID, "an event of over");
}

static void fails_at_once_when_refused(void **state)
{
    static const struct {
        const char *entry, *why;
    } cases[] = {
        {"{'status': 401, 'body': {'error': {'message': 'invalid key sk-never-to-be-seen'}}}",
         "answered 401: invalid key ***; check OPENAI_API_KEY"},
        {"{'status': 403, 'body': {'detail': 'not you'}}",
         "answered 403: not you; check OPENAI_API_KEY"},
        {"{'status': 400, 'body': {'error': 'too many\\ntokens'}}",
         "answered 400: too many tokens; try another model"},
        {"{'status': 404, 'body': '<h1>who?</h1>'}",
         "answered 404: who?; check the model's name and OPENAI_BASE_URL"},
        {"{'status': 413, 'body': '<html><TITLE>Too large</TITLE><h1>413</h1></html>'}",
         "answered 413: Too large; try another model"},
        {"{'status': 307, 'headers': {'Location': 'http://127.0.0.1:1/'}}",
         "answered 307: no reason given; check the model's name and OPENAI_BASE_URL"},
        {"{'status': 429, 'headers': {'Retry-After': '3600'}, 'body': {'message': 'slower'}}",
         "answered 429: slower; it asks to wait 3600 s: resume then"},
        {"{'status': 503, 'headers': {'Retry-After': 'Wed, 21 Oct 2099 07:28:00 GMT'}}",
         "answered 503: no reason given; it asks to wait"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct provider_fixture *fixture = *state;

        provider_fixture_serve(fixture, cases[i].entry);
        provider_fixture_ask(fixture, "openai:m-1");
        assert_non_null(strstr(fixture->failure.text, cases[i].why));
        assert_int_equal(fixture->notice_count, 0);
        provider_fixture_restart(state);
    }
}

static void tries_again_when_the_server_says_when(void **state)
{
    static const char *const dates[] = {"0", "Wed, 21 Oct 2015 07:28:00 GMT"};

    for (size_t i = 0; i < sizeof(dates) / sizeof(*dates); i++) {
        struct provider_fixture *fixture = *state;
        char entries[160];

        setenv("KFORGE_HTTP_RETRY_MS", "600000", 1);
        snprintf(entries, sizeof(entries),
                 "{'status': 429, 'headers': {'Retry-After': '%s'}, 'body': {'message': 'busy'}},"
                 " {'reply': 'ok'}",
                 dates[i]);
        provider_fixture_serve(fixture, entries);
        provider_fixture_ask(fixture, "openai:m-1");
        assert_replied_ok(fixture);
        assert_int_equal(fixture->notice_count, 1);
        assert_non_null(strstr(fixture->notices.data, "answered 429: busy; try 2 of 5 in 0.0 s"));
        provider_fixture_restart(state);
    }
}

static void check_two_retries(struct provider_fixture *fixture)
{
    assert_replied(fixture, "ok");
    assert_int_equal(fixture->notice_count, 2);
    assert_non_null(strstr(fixture->notices.data, "answered 500: oops; try 2 of 5"));
    assert_non_null(strstr(fixture->notices.data, "answered 529: *** is overloaded; try 3 of 5"));
}

static void tries_again_when_the_server_is_in_trouble(void **state)
{
    provider_fixture_for_each_protocol(
        state,
        "{'status': 500, 'body': 'oops'},"
        "{'status': 529, 'body': 'sk-never-to-be-seen is overloaded'}, {'reply': 'ok'}",
        check_two_retries);
}

static void gives_up_after_five_tries(void **state)
{
    struct provider_fixture *fixture = *state;

    provider_fixture_serve(fixture, "{'status': 503, 'body': 'down', 'repeat': true}");
    provider_fixture_ask(fixture, "openai:m-1");
    assert_failed(fixture, STATUS_UNAVAILABLE,
                  "answered 503: down; gave up after 5 tries: try again later");
    assert_int_equal(fixture->notice_count, 4);
}

/* A port of this machine without a listener. */
static int unused_port(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof(address);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    assert_int_equal(bind(fd, (struct sockaddr *)&address, len), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &len), 0);
    close(fd);
    return ntohs(address.sin_port);
}

static void tries_again_when_nobody_listens(void **state)
{
    struct provider_fixture *fixture = *state;

    provider_fixture_set_port(fixture, unused_port());
    provider_fixture_ask(fixture, "openai:m-1");
    assert_failed(fixture, STATUS_UNAVAILABLE, "refuses the connection");
    assert_int_equal(fixture->notice_count, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) \
    cmocka_unit_test_setup_teardown(name, provider_fixture_set_up, provider_fixture_tear_down)
        TEST(fails_with_the_error_that_the_stream_brings),
        TEST(fails_when_cut_off_after_text),
        TEST(tries_again_when_cut_off_before_text),
        TEST(fails_when_the_server_falls_silent),
        TEST(fails_when_the_server_never_answers),
        TEST(fails_when_the_reply_reaches_the_limit),
        TEST(fails_when_the_reply_is_empty),
        TEST(fails_when_parts_do_not_end),
        TEST(fails_when_a_line_does_not_end),
        TEST(fails_at_once_when_refused),
        TEST(tries_again_when_the_server_says_when),
        TEST(tries_again_when_the_server_is_in_trouble),
        TEST(gives_up_after_five_tries),
        TEST(tries_again_when_nobody_listens),
    };

    return cmocka_run_group_tests_name("provider_failures", tests, NULL, NULL);
}
