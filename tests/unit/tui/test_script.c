#include "tests/unit/unit.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/system/file.h"
#include "tui/app/script.h"

static enum status read_script(struct script *script, const char *text, struct error *err)
{
    char path[] = "/tmp/kforge-test-XXXXXX";
    int fd = mkstemp(path);
    enum status st;

    assert_true(fd >= 0);
    close(fd);
    assert_int_equal(file_write(path, text, strlen(text), err), STATUS_OK);
    st = script_read(script, path, err);
    unlink(path);
    return st;
}

static void lines_become_verbs(void **state)
{
    struct script script = {0};
    struct error err = {0};

    (void)state;
    assert_int_equal(read_script(&script,
                                 "# all of it\nwait STEP 6\n\n  press a C-d\nresize 80x24\n"
                                 "event step.proposed\ntype x y\n:screen a.svg\n",
                                 &err),
                     STATUS_OK);
    assert_int_equal(script.count, 6);
    assert_int_equal(script_next(&script)->verb, SCRIPT_WAIT);
    assert_string_equal(script_next(&script)->text, "STEP 6");
    assert_int_equal(script.items[1].number, 4);
    assert_int_equal(script.items[2].size.h, 24);
    assert_int_equal(script.items[3].event, EVENT_STEP_PROPOSED);
    assert_string_equal(script.items[4].text, "x y");
    assert_string_equal(script.items[5].text, "screen a.svg");
    script.next = script.count;
    assert_null(script_next(&script));
    script_release(&script);
}

static void what_is_wrong_is_named_with_its_line(void **state)
{
    static const char *const cases[][2] = {
        {"press a Entre\n", ":1: no key \"Entre\""},
        {"\nresize 80\n", ":2: \"80\" is not a size"},
        {"resize 0x24\n", ":1: \"0x24\" is not a size"},
        {"event step\n", ":1: no event \"step\""},
        {"sleep 3\n", ":1: expected wait"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct script script = {0};
        struct error err = {0};

        assert_int_equal(read_script(&script, cases[i][0], &err), STATUS_INVALID);
        if (!strstr(err.text, cases[i][1]))
            fail_msg("%s", err.text);
        assert_null(script.path);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_become_verbs),
        cmocka_unit_test(what_is_wrong_is_named_with_its_line),
    };

    return cmocka_run_group_tests_name("script", tests, NULL, NULL);
}
