#include "tests/unit/unit.h"

#include <stdlib.h>

#include "tui/frame/completion.h"

static void words_by_their_place(void **state)
{
    static const struct {
        const char *line, *words;
        size_t start;
    } cases[] = {
        {"half", "half-up\nhalf-down\n", 0},
        {"theme li", "light\n", 6},
        {"policy ke", "keep\n", 7},
        {"policy keep a", "auto\nask\n", 12},
        {"accept x", "", 7},
        {"nothing x", "", 8},
        {"copy /etc/host", NULL, 5},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct strbuf words = {0};

        assert_int_equal(completion_of_command(cases[i].line, &words), cases[i].start);
        if (cases[i].words)
            assert_string_equal(strbuf_cstr(&words), cases[i].words);
        else
            assert_true(words.len > 0);
        strbuf_release(&words);
    }
}

/* The completions keep the text as it was typed. */
static void files_below_home(void **state)
{
    struct strbuf words = {0};

    (void)state;
    setenv("HOME", KFORGE_SOURCE_DIR, 1);
    assert_int_equal(completion_of_command("attach ~/themes/lig", &words), 7);
    assert_string_equal(strbuf_cstr(&words), "~/themes/light.json\n");
    strbuf_release(&words);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(words_by_their_place),
                                       cmocka_unit_test(files_below_home)};

    setenv("KFORGE_ROOT", KFORGE_SOURCE_DIR, 1);
    return cmocka_run_group_tests_name("completion", tests, NULL, NULL);
}
