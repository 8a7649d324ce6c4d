#include "tests/unit/unit.h"

#include <string.h>

#include "core/model/recommendation.h"

static void block_and_prose_are_read(void **state)
{
    static const char reply[] =
        "Memory is the limit.\r\n\n```json\n"
        "{\"bottleneck\": \"memory\", \"evidence\": [\"dram = 91 %\", \"l2 = 4 %\"],"
        " \"change\": \"tile\", \"expect\": 1.4, \"tags\": [\"tiling\", \"local\"]}\n"
        "```\nTry that.\n";
    struct recommendation r = {0};

    (void)state;
    assert_int_equal(recommendation_parse(&r, reply, NULL), STATUS_OK);
    assert_string_equal(r.bottleneck, "memory");
    assert_string_equal(r.evidence, "dram = 91 %; l2 = 4 %");
    assert_string_equal(r.change, "tile");
    assert_true(r.has_gain && r.gain == 1.4);
    assert_string_equal(r.tags, "tiling, local");
    assert_string_equal(r.prose, "Memory is the limit.\n\nTry that.");
    recommendation_release(&r);
}

static void gain_and_tags_may_be_missing(void **state)
{
    static const char *const replies[] = {
        "```json\n{\"bottleneck\": \"b\", \"evidence\": \"m = 1\", \"change\": \"c\"}\n```",
        "```json\n{\"bottleneck\": \"b\", \"evidence\": [\"m = 1\"], \"change\": \"c\","
        " \"expect\": null, \"tags\": []}\n```",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(replies) / sizeof(*replies); i++) {
        struct recommendation r = {0};

        assert_int_equal(recommendation_parse(&r, replies[i], NULL), STATUS_OK);
        assert_string_equal(r.evidence, "m = 1");
        assert_false(r.has_gain);
        assert_null(r.tags);
        assert_string_equal(r.prose, "");
        recommendation_release(&r);
    }
}

static void errors_can_be_sent_back(void **state)
{
    static const struct {
        const char *reply, *message;
    } cases[] = {
        {"Use tiling.", "recommendation: there is no fenced block marked \"json\", expected "
                        "exactly one"},
        {"```json\n{,}\n```",
         "recommendation: line 1 column 3: not valid JSON: check quotes, commas and brackets"},
        {"```json\n[]\n```", "recommendation: expected an object, found an array"},
        {"```json\n{\"bottleneck\": \"\"}\n```", "recommendation: bottleneck: empty"},
        {"```json\n{\"bottleneck\": \"b\", \"evidence\": []}\n```",
         "recommendation: evidence: empty"},
        {"```json\n{\"bottleneck\": \"b\", \"evidence\": \"e\"}\n```",
         "recommendation: change: missing, expected a text"},
        {"```json\n{\"bottleneck\": \"b\", \"evidence\": \"e\", \"change\": \"c\","
         " \"expect\": \"20 %\"}\n```",
         "recommendation: expect: expected the speedup as a number, 1.2 for 20 %"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct recommendation r = {0};
        struct error err = {0};

        assert_int_equal(recommendation_parse(&r, cases[i].reply, &err), STATUS_INVALID);
        assert_string_equal(err.text, cases[i].message);
        assert_null(r.bottleneck);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(block_and_prose_are_read),
        cmocka_unit_test(gain_and_tags_may_be_missing),
        cmocka_unit_test(errors_can_be_sent_back),
    };

    return cmocka_run_group_tests_name("recommendation", tests, NULL, NULL);
}
