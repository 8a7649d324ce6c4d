#include "tests/unit/unit.h"

#include <locale.h>
#include <string.h>

#include "tui/prompt_line.h"

/* Press keys by their names, separated by blanks; return the state after the last. */
static enum prompt_line_state press(struct prompt_line *line, const char *keys)
{
    enum prompt_line_state state = PROMPT_LINE_EDITING;

    while (*keys) {
        size_t len = strcspn(keys, " ");

        state = prompt_line_key(line, key_parse(keys, len));
        keys += len;
        keys += strspn(keys, " ");
    }
    return state;
}

static void edits(void **state)
{
    static const struct {
        const char *keys, *text;
    } cases[] = {
        {"a b c Left Left X", "aXbc"},
        {"a \u00e9 b Left Backspace", "ab"},
        {"a \u00e9 Home Right Delete", "a"},
        {"a b Space c d C-w x", "ab x"},
        {"a b c C-a Right C-k", "a"},
        {"a b c Left C-u", "c"},
        {"Backspace Delete Left Right End Home a", "a"},
        {"M-x C-z a", "a"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct prompt_line line = {0};

        assert_int_equal(press(&line, cases[i].keys), PROMPT_LINE_EDITING);
        assert_string_equal(strbuf_cstr(&line.text), cases[i].text);
        prompt_line_release(&line);
    }
}

static void says_how_it_ended(void **state)
{
    struct prompt_line line = {0};

    (void)state;
    assert_int_equal(press(&line, "a Enter"), PROMPT_LINE_ENTERED);
    assert_int_equal(press(&line, "Escape"), PROMPT_LINE_LEFT);
    assert_int_equal(press(&line, "C-c"), PROMPT_LINE_LEFT);
    prompt_line_release(&line);
}

static void a_paste_is_one_line_of_text(void **state)
{
    struct prompt_line line = {0};

    (void)state;
    press(&line, "a b Left");
    prompt_line_insert(&line, "1\n2\t\xff", 5);
    assert_string_equal(strbuf_cstr(&line.text), "a1 2 \ufffdb");
    prompt_line_release(&line);
}

static void scrolls_to_the_cursor(void **state)
{
    struct prompt_line line = {0};
    struct canvas canvas = {0};

    (void)state;
    canvas_reset(&canvas, 8, 1);
    press(&line, "a b c d e f g h i");
    prompt_line_draw(&line, "why ", canvas_area(&canvas, (struct rect){0, 0, 8, 1}));
    assert_int_equal(canvas_cell(&canvas, 4, 0)->code, 'g');
    assert_true(canvas.cursor.is_shown);
    assert_int_equal(canvas.cursor.x, 7);
    canvas_release(&canvas);
    prompt_line_release(&line);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(edits),
        cmocka_unit_test(says_how_it_ended),
        cmocka_unit_test(a_paste_is_one_line_of_text),
        cmocka_unit_test(scrolls_to_the_cursor),
    };

    setlocale(LC_ALL, "C.UTF-8");
    return cmocka_run_group_tests_name("prompt_line", tests, NULL, NULL);
}
