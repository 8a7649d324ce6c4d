#include "tests/unit/provider_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/llm/providers.h"
#include "core/system/file.h"
#include "core/system/loop.h"

#define FIRST  "1111111111111111111111111111111111111111"
#define SECOND "2222222222222222222222222222222222222222"
#define ASKED  "3333333333333333333333333333333333333333"

static const char journal[] = "{\"seq\":1,\"type\":\"session.opened\"}\n"
                              "{\"seq\":2,\"type\":\"model.request\",\"text\":\"" SECOND "\"}\n"
                              "{\"seq\":3,\"type\":\"model.request\",\"text\":\"" SECOND "\"}\n"
                              "{\"seq\":4,\"type\":\"model.reply\",\"text\":\"" FIRST "\"}\n"
                              "{\"seq\":5,\"type\":\"model.request\",\"text\":\"" ASKED "\"}\n"
                              "{\"seq\":6,\"type\":\"model.reply\",\"text\":\"" SECOND "\","
                              "\"prompt_tokens\":7,\"reply_tokens\":5}\n";

static const char *const files[] = {"events.jsonl", "texts/" FIRST, "texts/" SECOND,
                                    "texts/" ASKED};

static int set_up(void **state)
{
    struct provider_fixture *fixture;
    char texts[80];

    provider_fixture_set_up(state);
    fixture = *state;
    snprintf(texts, sizeof(texts), "%s/texts", fixture->folder);
    assert_int_equal(mkdir(texts, 0700), 0);
    provider_fixture_write_file(fixture, files[0], journal);
    provider_fixture_write_file(fixture, files[1], "the first");
    provider_fixture_write_file(fixture, files[2], "the second");
    provider_fixture_write_file(fixture, files[3],
                                "Add \"two\" vectors of \xC3\xA9l\xC3\xA9ments.");
    return 0;
}

static int tear_down(void **state)
{
    struct provider_fixture *fixture = *state;
    char path[160];

    for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
        snprintf(path, sizeof(path), "%s/%s", fixture->folder, files[i]);
        unlink(path);
    }
    snprintf(path, sizeof(path), "%s/texts", fixture->folder);
    rmdir(path);
    return provider_fixture_tear_down(state);
}

static void ask(struct provider_fixture *fixture, const char *how)
{
    char agent[96];

    snprintf(agent, sizeof(agent), "recorded:%s%s", how, fixture->folder);
    provider_fixture_ask(fixture, agent);
}

static void ask_again(struct provider_fixture *fixture)
{
    strbuf_release(&fixture->text);
    fixture->is_done = false;
    fixture->end_count = 0;
    provider_fixture_send(fixture);
    loop_run(fixture->loop);
}

static void replies_come_in_their_order(void **state)
{
    struct provider_fixture *fixture = *state;

    ask(fixture, "");
    assert_replied(fixture, "the first");
    assert_false(fixture->usage.has_tokens);
    ask_again(fixture);
    assert_replied(fixture, "the second");
    assert_true(fixture->usage.has_tokens);
    assert_int_equal(fixture->usage.prompt_tokens, 7);
    assert_int_equal(fixture->usage.reply_tokens, 5);
    ask_again(fixture);
    assert_false(fixture->is_done);
    assert_non_null(strstr(fixture->failure.text, "the recording has no further reply"));
}

static void strictly_the_same_prompt_is_answered_once(void **state)
{
    struct provider_fixture *fixture = *state;

    ask(fixture, "strict:");
    assert_replied(fixture, "the second");
    ask_again(fixture);
    assert_non_null(strstr(fixture->failure.text, "no reply to this prompt is recorded"));
}

static void a_name_that_leads_out_of_the_folder_is_refused(void **state)
{
    struct provider_fixture *fixture = *state;

    provider_fixture_write_file(fixture, "events.jsonl",
                                "{\"type\":\"model.request\"}\n"
                                "{\"type\":\"model.reply\",\"text\":\"../log\"}\n");
    ask(fixture, "");
    assert_non_null(strstr(fixture->failure.text, "\"../log\" names no text"));
}

static void assert_refused(struct provider_fixture *fixture, const char *text, const char *why)
{
    char agent[96];
    struct error err = {0};

    provider_fixture_write_file(fixture, "events.jsonl", text);
    snprintf(agent, sizeof(agent), "recorded:%s", fixture->folder);
    assert_int_not_equal(providers_open(fixture->loop, agent, &fixture->provider, &err), STATUS_OK);
    assert_non_null(strstr(err.text, why));
}

static void what_is_no_recording_is_refused(void **state)
{
    assert_refused(*state, "{\"type\":\"note\"}\n{\n", "events.jsonl:2: ");
    assert_refused(*state, "", "the recording holds no reply");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(replies_come_in_their_order, set_up, tear_down),
        cmocka_unit_test_setup_teardown(strictly_the_same_prompt_is_answered_once, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_name_that_leads_out_of_the_folder_is_refused, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(what_is_no_recording_is_refused, set_up, tear_down),
    };

    return cmocka_run_group_tests_name("recorded", tests, NULL, NULL);
}
