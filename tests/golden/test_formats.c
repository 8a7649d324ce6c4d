#include "tests/unit/unit.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/base/vec.h"
#include "core/session/state/event.h"
#include "core/system/file.h"
#include "tests/golden/sample_verdict.h"

/* FORMATS.md names each member of a verdict, each type of event and each cause of an end. */

static char *section(const char *first, const char *after)
{
    struct strbuf text = {0};
    char *begin, *end, *copy;
    struct error err;

    if (file_read(KFORGE_SOURCE_DIR "/FORMATS.md", 1 << 20, &text, &err))
        fail_msg("%s", err.text);
    begin = strstr(text.data, first);
    assert_non_null(begin);
    end = strstr(begin, after);
    assert_non_null(end);
    copy = strndup(begin, (size_t)(end - begin));
    strbuf_release(&text);
    return copy;
}

static bool is_part(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.';
}

static bool has_word(const char *text, const char *word)
{
    size_t len = strlen(word);

    for (const char *at = strstr(text, word); at; at = strstr(at + 1, word))
        if ((at == text || !is_part(at[-1])) &&
            (!is_part(at[len]) || (at[len] == '.' && !is_part(at[len + 1]))))
            return true;
    return false;
}

static void assert_named(const char *text, const char *word)
{
    if (!has_word(text, word))
        fail_msg("FORMATS.md does not name \"%s\"", word);
}

static void assert_members_named(const char *text, const struct json *value)
{
    for (const struct json *member = json_first(value); member; member = json_next(member)) {
        if (json_key(member))
            assert_named(text, json_key(member));
        assert_members_named(text, member);
    }
}

/* Add members that no sample has: resources, and a trial with a wrong element. */
static void add_rest(struct verdict *verdict)
{
    struct kernel_resources used = {.kernel = mem_strdup("k"),
                                    .has_local = true,
                                    .has_private = true,
                                    .has_registers = true,
                                    .has_spills = true,
                                    .required_rank = 1};
    struct trial trial = {.dims = mem_strdup("M=1"), .output = mem_strdup("y"), .worst_count = 1};

    trial.worst[0].rank = 1;
    vec_push(&verdict->resources, used);
    vec_push(&verdict->trials, trial);
}

static void members_of_a_verdict_are_named(void **state)
{
    char *text = section("## Verdict", "### Pictures of profilers");

    (void)state;
    for (int outcome = OUTCOME_NONE + 1; outcome <= OUTCOME_CORRECT; outcome++)
        assert_named(text, outcome_name((enum outcome)outcome));
    for (int stage = 0; stage <= SAMPLE_ROUND; stage++) {
        struct verdict verdict = {0};
        struct json *encoded;

        sample_verdict_fill(&verdict, (enum sample_session_stage)stage);
        add_rest(&verdict);
        encoded = verdict_encode(&verdict);
        assert_members_named(text, encoded);
        json_free(encoded);
        verdict_release(&verdict);
    }
    free(text);
}

static void events_are_named(void **state)
{
    char *text = section("## Journal", "## Git history");

    (void)state;
    for (int type = EVENT_NONE + 1; type <= EVENT_SUITE_SUBMITTED; type++)
        assert_named(text, event_name((enum event_type)type));
    for (int cause = CLOSING_NOT + 1; cause <= CLOSING_ASKED; cause++)
        assert_named(text, closing_names[cause]);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_of_a_verdict_are_named),
        cmocka_unit_test(events_are_named),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
