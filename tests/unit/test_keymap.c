#include "tests/unit/unit.h"

#include <string.h>

#include "tui/keymap.h"

enum { EVERYWHERE = CONTEXT_ALWAYS | CONTEXT_WAITING | CONTEXT_RUNNING | CONTEXT_KERNEL };

static struct key key_of(const char *name)
{
    return key_parse(name, strlen(name));
}

static void keys_are_written_as_they_are_read(void **state)
{
    static const char *const names[] = {"a",     "A",     "?",     "C-d",    "M-x", "Enter",
                                        "S-Tab", "Space", "C-M-q", "PageUp", "-",   "\u00e9"};

    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        struct strbuf text = {0};

        key_format(key_of(names[i]), &text);
        assert_string_equal(strbuf_cstr(&text), names[i]);
        strbuf_release(&text);
    }
}

static void what_is_no_key_parses_to_none(void **state)
{
    (void)state;
    assert_int_equal(key_of("").input, INPUT_NONE);
    assert_int_equal(key_of("Entre").input, INPUT_NONE);
    assert_int_equal(key_of("X-a").input, INPUT_NONE);
    assert_int_equal(key_of("ab").input, INPUT_NONE);
}

static void every_row_can_be_reached(void **state)
{
    (void)state;
    for (const struct keymap_row *row = keymap_table; row->name; row++) {
        const char *keys = row->keys;

        assert_true(row->command != COMMAND_NONE);
        assert_true(row->help && *row->help);
        while (*keys) {
            size_t len = strcspn(keys, " ");
            struct key key = key_parse(keys, len);

            assert_int_not_equal(key.input, INPUT_NONE);
            if (keymap_find(key, row->context) != row)
                fail_msg("%s: its key is taken by %s", row->name,
                         keymap_find(key, row->context)->name);
            keys += len;
            keys += strspn(keys, " ");
        }
    }
}

static void names_are_unique(void **state)
{
    (void)state;
    for (const struct keymap_row *a = keymap_table; a->name; a++)
        for (const struct keymap_row *b = keymap_table; b < a; b++)
            assert_string_not_equal(a->name, b->name);
}

static void decisions_need_a_step_that_waits(void **state)
{
    (void)state;
    assert_null(keymap_find(key_of("a"), EVERYWHERE & ~(unsigned)CONTEXT_WAITING));
    assert_int_equal(keymap_find(key_of("a"), EVERYWHERE)->command, COMMAND_ACCEPT);
    assert_int_equal(keymap_find(key_of("PageDown"), CONTEXT_ALWAYS)->command, COMMAND_HALF_DOWN);
    assert_int_equal(keymap_find(key_of("3"), CONTEXT_ALWAYS)->argument, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_are_written_as_they_are_read),
        cmocka_unit_test(what_is_no_key_parses_to_none),
        cmocka_unit_test(every_row_can_be_reached),
        cmocka_unit_test(names_are_unique),
        cmocka_unit_test(decisions_need_a_step_that_waits),
    };

    return cmocka_run_group_tests_name("keymap", tests, NULL, NULL);
}
