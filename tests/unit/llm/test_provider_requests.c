#include "tests/unit/provider_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/llm/providers.h"
#include "core/system/loop.h"

/* Tests of a provider: the requests that it sends, and what it needs to send them. */

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
                             "\"stream\":true,\"system\":\"You write kernels.\",\"max_tokens\":"
                             "64000,\"thinking\":{\"type\":\"adaptive\",\"display\":"
                             "\"summarized\"}}");
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
         "\"stream\":true,\"system\":\"You write kernels.\",\"max_tokens\":64000,"
         "\"thinking\":{\"type\":\"adaptive\",\"display\":\"summarized\"}}"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        attach_image(*state);
        provider_fixture_serve(*state, "{'reply': 'ok'}");
        provider_fixture_ask(*state, cases[i].agent);
        assert_replied_ok(*state);
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
        assert_replied_ok(fixture);
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

/* The model of the server takes the form of thinking that `refused` forms come before. */
static void assert_thinks(void **state, int refused, const char *form)
{
    struct provider_fixture *fixture = *state;
    struct strbuf entries = {0};

    for (int i = 0; i < refused; i++)
        strbuf_adds(&entries, "{'status': 400, 'body': {'error': {'message': 'adaptive thinking is "
                              "not supported on this model'}}}, ");
    strbuf_adds(&entries, "{'reply': 'ok', 'thinking': 'hmm', 'repeat': true}");
    provider_fixture_serve(fixture, strbuf_cstr(&entries));
    provider_fixture_ask(fixture, "anthropic:m-1");
    assert_replied_ok(fixture);
    assert_string_equal(strbuf_cstr(&fixture->thoughts), "hmm");
    assert_int_equal(fixture->notice_count, refused);
    assert_int_equal(provider_fixture_count_requests(fixture, "vectors of"), refused + 1);
    provider_fixture_send(fixture); /* what was refused is not asked for again */
    loop_run(fixture->loop);
    assert_int_equal(provider_fixture_count_requests(fixture, "vectors of"), refused + 2);
    assert_int_equal(provider_fixture_count_requests(fixture, form), 2);
    strbuf_release(&entries);
    provider_fixture_restart(state);
}

static void asks_for_thinking_in_the_form_that_the_model_takes(void **state)
{
    assert_thinks(state, 0, "\"max_tokens\": 64000, \"thinking\": {\"type\": \"adaptive\"");
    assert_thinks(state, 1, "{\"type\": \"enabled\", \"budget_tokens\": 16000}");
    assert_thinks(state, 2, "\"max_tokens\": 32000}");
}

static void asks_for_no_thinking_that_is_turned_off(void **state)
{
    setenv("KFORGE_THINKING", "off", 1);
    provider_fixture_serve(*state, "{'reply': 'ok'}");
    provider_fixture_ask(*state, "anthropic:m-1");
    assert_replied_ok(*state);
    assert_int_equal(provider_fixture_count_requests(*state, "\"thinking\""), 0);
}

static void sends_no_key_where_none_is_set(void **state)
{
    unsetenv("OPENAI_API_KEY");
    provider_fixture_serve(*state, "{'reply': 'ok'}");
    provider_fixture_ask(*state, "openai:m-1");
    assert_replied_ok(*state);
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
         "no agent \"gemini:x\": expected one of builtin, openai, anthropic, command, manual, "
         "recorded",
         STATUS_NOT_FOUND},
        {"openai", "A", "", "openai needs a model, as in openai:MODEL", STATUS_INVALID},
        {"openai:m", "OPENAI_API_KEY", "",
         "https://api.openai.com/v1 needs a key: set OPENAI_API_KEY", STATUS_UNAVAILABLE},
        {"openai:m", "KFORGE_API_KEY_ENV", "UNSET",
         "https://api.openai.com/v1 needs a key: set UNSET", STATUS_UNAVAILABLE},
        {"openai:m", "OPENAI_API_KEY", "sk-x\nEvil: 1",
         "OPENAI_API_KEY holds a blank or an unprintable character: set it to the key alone",
         STATUS_INVALID},
        {"openai:m", "OPENAI_BASE_URL", "file:///etc/passwd",
         "OPENAI_BASE_URL: not an address that begins with http:// or https://", STATUS_INVALID},
        {"anthropic:m", "KFORGE_THINKING", "much", "KFORGE_THINKING=much: expected on or off",
         STATUS_INVALID},
        {"openai:m", "KFORGE_HTTP_SILENCE_MS", "1m",
         "KFORGE_HTTP_SILENCE_MS=1m: expected milliseconds, a whole number of 0 or more",
         STATUS_INVALID},
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
        TEST(sends_what_openai_wants),
        TEST(sends_what_anthropic_wants),
        TEST(sends_an_image),
        TEST(lets_the_text_go_alone_where_images_are_refused),
        TEST(a_refusal_for_another_reason_is_not_blamed_on_images_twice),
        TEST(asks_for_thinking_in_the_form_that_the_model_takes),
        TEST(asks_for_no_thinking_that_is_turned_off),
        TEST(sends_no_key_where_none_is_set),
        TEST(takes_the_key_from_the_variable_that_is_named),
        TEST(says_what_is_missing),
    };

    return cmocka_run_group_tests_name("provider_requests", tests, NULL, NULL);
}
