#include "tests/unit/talk.h"

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
    struct talk *talk;
    char texts[80];

    talk_set_up(state);
    talk = *state;
    snprintf(texts, sizeof(texts), "%s/texts", talk->folder);
    assert_int_equal(mkdir(texts, 0700), 0);
    talk_write_file(talk, files[0], journal);
    talk_write_file(talk, files[1], "the first");
    talk_write_file(talk, files[2], "the second");
    talk_write_file(talk, files[3], "Add \"two\" vectors of \xC3\xA9l\xC3\xA9ments.");
    return 0;
}

static int tear_down(void **state)
{
    struct talk *talk = *state;
    char path[160];

    for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
        snprintf(path, sizeof(path), "%s/%s", talk->folder, files[i]);
        unlink(path);
    }
    snprintf(path, sizeof(path), "%s/texts", talk->folder);
    rmdir(path);
    return talk_tear_down(state);
}

static void ask(struct talk *talk, const char *how)
{
    char agent[96];

    snprintf(agent, sizeof(agent), "recorded:%s%s", how, talk->folder);
    talk_ask(talk, agent);
}

static void ask_again(struct talk *talk)
{
    strbuf_release(&talk->text);
    talk->is_done = false;
    talk->end_count = 0;
    talk_send(talk);
    loop_run(talk->loop);
}

static void replies_come_in_their_order(void **state)
{
    struct talk *talk = *state;

    ask(talk, "");
    assert_replied(talk, "the first");
    assert_false(talk->usage.has_tokens);
    ask_again(talk);
    assert_replied(talk, "the second");
    assert_true(talk->usage.has_tokens);
    assert_int_equal(talk->usage.prompt_tokens, 7);
    assert_int_equal(talk->usage.reply_tokens, 5);
    ask_again(talk);
    assert_false(talk->is_done);
    assert_non_null(strstr(talk->failure.text, "the recording has no further reply"));
}

static void strictly_the_same_prompt_is_answered_once(void **state)
{
    struct talk *talk = *state;

    ask(talk, "strict:");
    assert_replied(talk, "the second");
    ask_again(talk);
    assert_non_null(strstr(talk->failure.text, "no reply to this prompt is recorded"));
}

static void a_name_that_leads_out_of_the_folder_is_refused(void **state)
{
    struct talk *talk = *state;

    talk_write_file(talk, "events.jsonl",
                    "{\"type\":\"model.request\"}\n"
                    "{\"type\":\"model.reply\",\"text\":\"../log\"}\n");
    ask(talk, "");
    assert_non_null(strstr(talk->failure.text, "\"../log\" names no text"));
}

static void assert_refused(struct talk *talk, const char *text, const char *why)
{
    char agent[96];
    struct error err = {0};

    talk_write_file(talk, "events.jsonl", text);
    snprintf(agent, sizeof(agent), "recorded:%s", talk->folder);
    assert_int_not_equal(providers_open(talk->loop, agent, &talk->provider, &err), STATUS_OK);
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
