#include "tests/unit/provider_fixture.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/llm/providers.h"
#include "core/system/loop.h"

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

static void keeps_what_the_model_thinks_out_of_the_reply(void **state)
{
    provider_fixture_for_each_protocol(state, "{" EURO_REPLY ", 'thinking': 'Let me see.'}",
                                       check_good_reply);
    provider_fixture_for_each_protocol(
        state, "{" EURO_REPLY ", 'thinking': 'Let me see.', 'document': true}", check_good_reply);
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

static void check_replied_ok(struct provider_fixture *fixture)
{
    assert_replied(fixture, "ok");
}

static void replies_from_a_file(void **state)
{
    provider_fixture_write_file(*state, "reply", "ok");
    provider_fixture_serve(*state, "{'reply_file': 'reply'}");
    provider_fixture_ask(*state, "openai:m-1");
    check_replied_ok(*state);
}

static void says_when_the_counts_are_unknown(void **state)
{
    struct provider_fixture *fixture = *state;

    provider_fixture_serve(fixture, "{'reply': 'ok', 'usage': null}");
    provider_fixture_ask(fixture, "openai:m-1");
    check_replied_ok(fixture);
    assert_false(fixture->usage.has_tokens);
}

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
                                       check_replied_ok);
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
         "answered 400: too many tokens"},
        {"{'status': 404, 'body': '<h1>who?</h1>'}",
         "answered 404: <h1>who?</h1>; check the model's name and OPENAI_BASE_URL"},
        {"{'status': 307, 'headers': {'Location': 'http://127.0.0.1:1/'}}",
         "answered 307: no reason given; check the model's name and OPENAI_BASE_URL"},
        {"{'status': 429, 'headers': {'Retry-After': '3600'}, 'body': {'message': 'slower'}}",
         "answered 429: slower; it asks to wait 3600 s"},
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
        check_replied_ok(fixture);
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
    assert_failed(fixture, STATUS_UNAVAILABLE, "answered 503: down");
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

/* Cancel the first exchange, start a second, and discard the text of the first. */
static void cancel_and_ask_again(struct provider_fixture *fixture)
{
    fixture->provider->ops->cancel(fixture->provider);
    strbuf_release(&fixture->text);
    provider_fixture_send(fixture);
}

static void is_quiet_after_cancel(void **state)
{
    provider_fixture_serve(
        *state, "{'reply': 'half a kernel and more of it', 'then': 'silence'}, {'reply': 'ok'}");
    ((struct provider_fixture *)*state)->on_text = cancel_and_ask_again;
    provider_fixture_ask(*state, "openai:m-1");
    check_replied_ok(*state);
}

static void is_quiet_after_cancel_at_once(void **state)
{
    struct provider_fixture *fixture = *state;

    provider_fixture_serve(fixture, "{'reply': 'ok'}");
    assert_int_equal(providers_open(fixture->loop, "openai:m-1", &fixture->provider, NULL),
                     STATUS_OK);
    provider_fixture_send(fixture);
    cancel_and_ask_again(fixture);
    loop_run(fixture->loop);
    assert_int_equal(fixture->end_count, 1);
    check_replied_ok(fixture);
}

static void close_provider(struct provider_fixture *fixture)
{
    fixture->provider->ops->close(fixture->provider);
    fixture->provider = NULL;
    loop_stop(fixture->loop);
}

static void can_be_closed_while_it_tells(void **state)
{
    struct provider_fixture *fixture = *state;

    provider_fixture_serve(fixture, "{'reply': 'ok'}, {'reply': 'ok'}");
    fixture->on_end = close_provider;
    provider_fixture_ask(fixture, "openai:m-1");
    check_replied_ok(fixture);
    fixture->on_text = close_provider;
    assert_int_equal(providers_open(fixture->loop, "openai:m-1", &fixture->provider, NULL),
                     STATUS_OK);
    provider_fixture_send(fixture);
    loop_run(fixture->loop);
    assert_int_equal(fixture->end_count, 1);
}

static void sends_what_openai_wants(void **state)
{
    provider_fixture_serve(*state, "{'reply': 'ok'}");
    provider_fixture_ask(*state, "openai:org/model:free");
    assert_requested(*state, "{\"messages\":[{\"role\":\"system\",\"content\":\"You write kernels."
                             "\"},{\"role\":\"user\",\"content\":\"Add \\\"two\\\" vectors of "
                             "\xC3\xA9l\xC3\xA9ments.\"}],\"stream_options\":{\"include_usage\":"
                             "true},\"model\":\"org/model:free\",\"stream\":true}");
    assert_header(*state, "authorization", "Bearer " FIXTURE_KEY);
    assert_header(*state, "content-type", "application/json");
}

static void sends_what_anthropic_wants(void **state)
{
    provider_fixture_serve(*state, "{'reply': 'ok'}");
    provider_fixture_ask(*state, "anthropic:m-1");
    assert_requested(*state, "{\"messages\":[{\"role\":\"user\",\"content\":\"Add \\\"two\\\" "
                             "vectors of \xC3\xA9l\xC3\xA9ments.\"}],\"model\":\"m-1\","
                             "\"max_tokens\":32000,\"stream\":true,\"system\":\"You write "
                             "kernels.\"}");
    assert_header(*state, "x-api-key", FIXTURE_KEY);
    assert_header(*state, "authorization", "absent");
    assert_header(*state, "anthropic-version", "2023-06-01");
}

static const char png[] = "\x89PNG\r\n\x1A\n";

static void attach_image(struct provider_fixture *fixture)
{
    fixture->image = (struct image){"window.png", png, strlen(png)};
}

static void sends_an_image(void **state)
{
    static const struct {
        const char *agent, *body;
    } cases[] = {
        {"openai:m-1",
         "{\"messages\":[{\"role\":\"system\",\"content\":\"You write "
         "kernels.\"},{\"role\":\"user\","
         "\"content\":[{\"type\":\"text\",\"text\":\"Add \\\"two\\\" vectors of "
         "\xC3\xA9l\xC3\xA9ments.\"},"
         "{\"type\":\"image_url\",\"image_url\":{\"url\":\"data:image/"
         "png;base64,iVBORw0KGgo=\"}}]}],"
         "\"stream_options\":{\"include_usage\":true},\"model\":\"m-1\",\"stream\":true}"},
        {"anthropic:m-1",
         "{\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"Add "
         "\\\"two\\\" "
         "vectors of "
         "\xC3\xA9l\xC3\xA9ments.\"},{\"type\":\"image\",\"source\":{\"type\":\"base64\","
         "\"media_type\":\"image/png\",\"data\":\"iVBORw0KGgo=\"}}]}],\"model\":\"m-1\","
         "\"max_tokens\":32000,\"stream\":true,\"system\":\"You write kernels.\"}"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        attach_image(*state);
        provider_fixture_serve(*state, "{'reply': 'ok'}");
        provider_fixture_ask(*state, cases[i].agent);
        check_replied_ok(*state);
        assert_requested(*state, cases[i].body);
        provider_fixture_restart(state);
    }
}

static void lets_the_text_go_alone_where_images_are_refused(void **state)
{
    static const char *const refusals[] = {
        "{'status': 400, 'body': {'error': 'not a vision model'}}",
        "{'status': 500, 'body': {'error': 'image input is not supported'}}",
    };

    for (size_t i = 0; i < sizeof(refusals) / sizeof(*refusals); i++) {
        struct provider_fixture *fixture = *state;
        char entries[128];

        attach_image(fixture);
        snprintf(entries, sizeof(entries), "%s, {'reply': 'ok'}", refusals[i]);
        provider_fixture_serve(fixture, entries);
        provider_fixture_ask(fixture, "openai:m-1");
        check_replied_ok(fixture);
        assert_int_equal(fixture->notice_count, 1);
        assert_non_null(strstr(fixture->notices.data, "; sending the text without the images"));
        assert_int_equal(provider_fixture_count_requests(fixture, "image_url"), 1);
        assert_int_equal(provider_fixture_count_requests(fixture, "vectors of"), 2);
        provider_fixture_restart(state);
    }
}

static void a_refusal_for_another_reason_is_not_blamed_on_images_twice(void **state)
{
    struct provider_fixture *fixture = *state;

    attach_image(fixture);
    provider_fixture_serve(fixture, "{'status': 400, 'body': 'no', 'repeat': true}");
    provider_fixture_ask(fixture, "openai:m-1");
    assert_failed(fixture, STATUS_INVALID, "answered 400: no");
    assert_int_equal(provider_fixture_count_requests(fixture, "vectors of"), 2);
}

static void sends_no_key_where_none_is_set(void **state)
{
    unsetenv("OPENAI_API_KEY");
    provider_fixture_serve(*state, "{'reply': 'ok'}");
    provider_fixture_ask(*state, "openai:m-1");
    check_replied_ok(*state);
    assert_header(*state, "authorization", "absent");
}

static void takes_the_key_from_the_variable_that_is_named(void **state)
{
    setenv("KFORGE_API_KEY_ENV", "OUR_KEY", 1);
    setenv("OUR_KEY", "ours", 1);
    provider_fixture_serve(*state, "{'reply': 'ok'}");
    provider_fixture_ask(*state, "openai:m-1");
    assert_header(*state, "authorization", "Bearer ours");
}

static void says_what_is_missing(void **state)
{
    static const struct {
        const char *agent, *name, *value, *why;
        enum status status;
    } cases[] = {
        {"gemini:x", "A", "",
         "no agent \"gemini:x\": there is builtin, openai, anthropic, command, manual, recorded",
         STATUS_NOT_FOUND},
        {"openai", "A", "", "openai needs a model, as in openai:MODEL", STATUS_INVALID},
        {"openai:m", "OPENAI_API_KEY", "",
         "https://api.openai.com/v1 needs a key: set OPENAI_API_KEY", STATUS_UNAVAILABLE},
        {"openai:m", "KFORGE_API_KEY_ENV", "UNSET",
         "https://api.openai.com/v1 needs a key: set UNSET", STATUS_UNAVAILABLE},
        {"openai:m", "OPENAI_API_KEY", "sk-x\nEvil: 1",
         "OPENAI_API_KEY holds a blank or an unprintable character", STATUS_INVALID},
        {"openai:m", "OPENAI_BASE_URL", "file:///etc/passwd",
         "OPENAI_BASE_URL: not an address that begins with http:// or https://", STATUS_INVALID},
        {"openai:m", "KFORGE_HTTP_SILENCE_MS", "1m",
         "KFORGE_HTTP_SILENCE_MS=1m is not a number of milliseconds", STATUS_INVALID},
    };
    struct provider_fixture *fixture = *state;

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct error err = {0};

        provider_fixture_set_environment();
        setenv(cases[i].name, cases[i].value, 1);
        assert_int_equal(providers_open(fixture->loop, cases[i].agent, &fixture->provider, &err),
                         cases[i].status);
        assert_string_equal(err.text, cases[i].why);
        assert_null(fixture->provider);
    }
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
        TEST(is_quiet_after_cancel),
        TEST(is_quiet_after_cancel_at_once),
        TEST(can_be_closed_while_it_tells),
        TEST(sends_what_openai_wants),
        TEST(sends_what_anthropic_wants),
        TEST(sends_an_image),
        TEST(lets_the_text_go_alone_where_images_are_refused),
        TEST(a_refusal_for_another_reason_is_not_blamed_on_images_twice),
        TEST(sends_no_key_where_none_is_set),
        TEST(takes_the_key_from_the_variable_that_is_named),
        TEST(says_what_is_missing),
    };

    return cmocka_run_group_tests_name("provider", tests, NULL, NULL);
}
