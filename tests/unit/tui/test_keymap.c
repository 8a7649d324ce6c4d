#include "tests/unit/unit.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/system/file.h"
#include "tui/keys/keymap.h"

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
    struct keymap keymap = {0};

    (void)state;
    keymap_fill(&keymap);
    for (const struct keymap_row *row = keymap_table; row->name; row++) {
        const char *keys = row->keys;

        assert_true(row->command != COMMAND_NONE);
        assert_true(row->help && *row->help);
        while (*keys) {
            size_t len = strcspn(keys, " ");
            struct key key = key_parse(keys, len);
            struct call call;

            assert_int_not_equal(key.input, INPUT_NONE);
            assert_true(keymap_find(&keymap, key, row->context, &call));
            if (call.row != row)
                fail_msg("%s: its key is taken by %s", row->name, call.row->name);
            keys += len;
            keys += strspn(keys, " ");
        }
    }
    keymap_release(&keymap);
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
    struct keymap keymap = {0};
    struct call call;

    (void)state;
    keymap_fill(&keymap);
    assert_false(keymap_find(&keymap, key_of("a"), EVERYWHERE & ~(unsigned)CONTEXT_WAITING, &call));
    assert_true(keymap_find(&keymap, key_of("a"), EVERYWHERE, &call));
    assert_int_equal(call.row->command, COMMAND_ACCEPT);
    assert_true(keymap_find(&keymap, key_of("PageDown"), CONTEXT_ALWAYS, &call));
    assert_int_equal(call.row->command, COMMAND_HALF_DOWN);
    assert_true(keymap_find(&keymap, key_of("3"), CONTEXT_PANES, &call));
    assert_int_equal(call.row->number, 3);
    keymap_release(&keymap);
}

static void command_lines_are_parsed(void **state)
{
    struct error err = {0};
    struct call call;

    (void)state;
    assert_int_equal(call_parse(" screen  a b.svg", &call, &err), STATUS_OK);
    assert_int_equal(call.row->command, COMMAND_SCREEN);
    assert_string_equal(call.argument, "a b.svg");
    assert_int_equal(call_parse("scream x", &call, &err), STATUS_INVALID);
    assert_non_null(strstr(err.text, "\"scream\""));
    assert_int_equal(call_parse("accept twice", &call, &err), STATUS_INVALID);
}

/* Write `text` to a key file, and read that file. */
static enum status read_keys(struct keymap *keymap, const char *text, struct error *err)
{
    char path[] = "/tmp/kforge-test-XXXXXX";
    int fd = mkstemp(path);
    enum status st;

    assert_true(fd >= 0);
    close(fd);
    assert_int_equal(file_write(path, text, strlen(text), err), STATUS_OK);
    st = keymap_read(keymap, path, err);
    unlink(path);
    return st;
}

static void users_bind_keys(void **state)
{
    struct keymap keymap = {0};
    struct strbuf keys = {0};
    struct error err = {0};
    struct call call;

    (void)state;
    keymap_fill(&keymap);
    assert_int_equal(
        read_keys(&keymap, "# mine\nC-t = :theme light\nq = none\n\n[kernel]\nE = :diff\n", &err),
        STATUS_OK);
    assert_true(keymap_find(&keymap, key_of("C-t"), CONTEXT_ALWAYS, &call));
    assert_string_equal(call.argument, "light");
    assert_false(keymap_find(&keymap, key_of("q"), EVERYWHERE, &call));
    assert_false(keymap_find(&keymap, key_of("E"), CONTEXT_ALWAYS, &call));
    keymap_add_keys(&keymap, keymap_row_of(COMMAND_DIFF), &keys);
    assert_string_equal(strbuf_cstr(&keys), "d E");
    strbuf_release(&keys);
    keymap_release(&keymap);
}

static void keys_in_a_row_are_listed_by_the_first_and_the_last(void **state)
{
    struct keymap keymap = {0};
    struct strbuf keys = {0};
    struct call call;

    (void)state;
    keymap_fill(&keymap);
    keymap_add_keys(&keymap, keymap_row_of(COMMAND_TENTH), &keys);
    assert_string_equal(strbuf_cstr(&keys), "0-9");
    assert_true(keymap_find(&keymap, key_of("7"), CONTEXT_PANES | CONTEXT_REPLAY, &call));
    assert_int_equal(call.row->command, COMMAND_TENTH);
    assert_int_equal(call.key.code, '7');
    strbuf_release(&keys);
    keymap_release(&keymap);
}

static void broken_key_files_name_the_line_and_bind_nothing(void **state)
{
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"x = :quit\nEntre = :quit\n", ":2: no key \"Entre\""},
        {"x :quit\n", ":1: expected \"x = :command\""},
        {"\nx = :leave\n", ":2: no command \"leave\""},
        {"[kernels]\n", ":1: no context \"kernels\""},
        {"x = quit\n", ":1: expected \":command\" or \"none\""},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct keymap keymap = {0};
        struct error err = {0};
        struct call call;

        keymap_fill(&keymap);
        assert_int_equal(read_keys(&keymap, cases[i].text, &err), STATUS_INVALID);
        if (!strstr(err.text, cases[i].says))
            fail_msg("%s", err.text);
        assert_false(keymap_find(&keymap, key_of("x"), CONTEXT_ALWAYS, &call));
        keymap_release(&keymap);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_are_written_as_they_are_read),
        cmocka_unit_test(what_is_no_key_parses_to_none),
        cmocka_unit_test(every_row_can_be_reached),
        cmocka_unit_test(names_are_unique),
        cmocka_unit_test(decisions_need_a_step_that_waits),
        cmocka_unit_test(command_lines_are_parsed),
        cmocka_unit_test(users_bind_keys),
        cmocka_unit_test(keys_in_a_row_are_listed_by_the_first_and_the_last),
        cmocka_unit_test(broken_key_files_name_the_line_and_bind_nothing),
    };

    return cmocka_run_group_tests_name("keymap", tests, NULL, NULL);
}
