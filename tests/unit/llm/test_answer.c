#include "tests/unit/unit.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/json.h"
#include "core/llm/answer.h"

/* A minimal protocol: {"text": ..., "end": ...}. */
static enum status read_part(struct answer *answer, const struct json *part, struct error *err)
{
    static const struct answer_stop bad[] = {{"tired", "the model was tired"}, {NULL, NULL}};

    answer_add_text(answer, json_get_string(part, "text", NULL));
    return answer_stop(answer, json_get_string(part, "end", NULL), bad, err);
}

static const struct answer_format format = {.last_data = "[END]", .read = read_part};

static enum status feed(struct answer *answer, const char *bytes, struct error *err)
{
    return answer_feed(answer, bytes, strlen(bytes), err);
}

/* Feed one event, and assert the text that it makes available. */
static void assert_text_after(struct answer *answer, const char *event, const char *expected)
{
    struct strbuf text;

    assert_int_equal(feed(answer, event, NULL), STATUS_OK);
    text = answer_take_text(answer);
    assert_string_equal(strbuf_cstr(&text), expected);
    strbuf_release(&text);
}

static void holds_back_a_code_point_until_it_is_whole(void **state)
{
    struct answer answer = {.format = &format};

    (void)state;
    assert_text_after(&answer, "data: {\"text\": \"a\xE2\"}\n\n", "a");
    assert_text_after(&answer, "data: {\"text\": \"\x82\"}\n\n", "");
    assert_text_after(&answer, "data: {\"text\": \"\xAC\xF0\x9F\"}\n\n", "\xE2\x82\xAC");
    assert_text_after(&answer, "data: {\"text\": \"\x98\x80z\"}\n\n", "\xF0\x9F\x98\x80z");
    answer_release(&answer);
}

static void replaces_what_is_no_code_point(void **state)
{
    struct answer answer = {.format = &format};

    (void)state;
    assert_text_after(&answer, "data: {\"text\": \"a\xFF\x80z\"}\n\n",
                      "a\xEF\xBF\xBD\xEF\xBF\xBDz");
    assert_text_after(&answer, "data: {\"text\": \"\xE2\x82\"}\n\n", "");
    assert_text_after(&answer, "data: {\"end\": \"done\"}\n\n", "\xEF\xBF\xBD\xEF\xBF\xBD");
    answer_release(&answer);
}

static void tells_a_document_from_a_stream(void **state)
{
    struct answer answer = {.format = &format};

    (void)state;
    assert_text_after(&answer, "\r\n ", "");
    assert_text_after(&answer, " {\"text\":", "");
    assert_text_after(&answer, " \"hi\", \"end\": \"done\"}", "");
    assert_int_equal(answer_finish(&answer, NULL), STATUS_OK);
    assert_text_after(&answer, "", "hi");
    answer_release(&answer);
}

static void drops_what_follows_the_last_event(void **state)
{
    struct answer answer = {.format = &format};

    (void)state;
    assert_text_after(&answer, "data: {\"text\": \"x\"}\n\ndata: [END]\n\ndata: nonsense\n\n", "x");
    assert_true(answer.is_last);
    assert_int_equal(answer_finish(&answer, NULL), STATUS_OK);
    answer_release(&answer);
}

#define NO_REPLY "the reply is neither a stream of events nor JSON: check the address"

static void says_what_is_wrong_with_an_answer(void **state)
{
    static const struct {
        const char *bytes, *why;
        enum status status;
    } cases[] = {
        {"", "the reply ends before it is complete", STATUS_IO},
        {"data: {\"text\": \"x\"}\n\n", "the reply ends before it is complete", STATUS_IO},
        {"data: [END]\n\n", "the reply is empty: try again, or choose another model",
         STATUS_INVALID},
        {"data: {\"end\": \"tired\"}\n\n", "the model was tired", STATUS_INVALID},
        {"data: {\"error\": \"no\"}\n\n", "no", STATUS_INVALID},
        {"data: {\"error\": {\"message\": \"no\"}}\n\n", "no", STATUS_INVALID},
        {"{\"error\": {\"code\": 7}}", "an error without a message", STATUS_INVALID},
        {"data: nonsense\n\n", "line 1 column 1: not valid JSON: check quotes, commas and brackets",
         STATUS_INVALID},
        {": wait\n", "the reply ends before it is complete", STATUS_IO},
        {"<html>", NO_REPLY, STATUS_INVALID},
        {"Not found: v2\n", NO_REPLY, STATUS_INVALID},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct answer answer = {.format = &format};
        struct error err = {0};

        if (!feed(&answer, cases[i].bytes, &err))
            assert_int_not_equal(answer_finish(&answer, &err), STATUS_OK);
        assert_string_equal(err.text, cases[i].why);
        assert_int_equal(err.code, cases[i].status);
        answer_release(&answer);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(holds_back_a_code_point_until_it_is_whole),
        cmocka_unit_test(replaces_what_is_no_code_point),
        cmocka_unit_test(tells_a_document_from_a_stream),
        cmocka_unit_test(drops_what_follows_the_last_event),
        cmocka_unit_test(says_what_is_wrong_with_an_answer),
    };

    return cmocka_run_group_tests_name("answer", tests, NULL, NULL);
}
