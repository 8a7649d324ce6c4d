#include "tests/unit/unit.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/strbuf.h"
#include "core/system/file.h"
#include "tui/widgets/prompt_history.h"
#include "tui/widgets/prompt_line.h"

/* Press keys, given by names between blanks; return the state after the last one. */
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

static const struct prompt_line_options plain = {0};

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
        {"M-z a", "a"},
        {"a C-v C-a b", "a\001b"}, /* Ctrl-V reads the next key literally */
        {"a b C-x C-k c", "abc"},  /* Ctrl-X waits for a second key; this one is not bound */
        {"M-3 x", "xxx"},          /* a count */
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct prompt_line *line = prompt_line_new(&plain);

        assert_int_equal(press(line, cases[i].keys), PROMPT_LINE_EDITING);
        assert_string_equal(prompt_line_text(line), cases[i].text);
        prompt_line_free(line);
    }
}

static void says_how_it_ended(void **state)
{
    static const struct {
        const char *keys;
        enum prompt_line_state state;
    } cases[] = {
        {"a \u00e9 Enter", PROMPT_LINE_ENTERED},
        {"Enter", PROMPT_LINE_ENTERED},
        {"a Escape", PROMPT_LINE_LEFT},
        {"a C-c", PROMPT_LINE_LEFT},
        {"C-g", PROMPT_LINE_LEFT},
        {"C-d", PROMPT_LINE_LEFT},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct prompt_line *line = prompt_line_new(&plain);

        assert_int_equal(press(line, cases[i].keys), cases[i].state);
        assert_string_equal(prompt_line_text(line), i == 0             ? "a\u00e9"
                                                    : i == 2 || i == 3 ? "a"
                                                                       : "");
        prompt_line_free(line);
    }
}

/* ~/.editrc asks for vi keys; the commands f, r and / read further keys. */
static void vi_keys_work(void **state)
{
    static const struct {
        const char *keys, *text;
    } cases[] = {
        {"a b c Escape 0 x", "bc"},
        {"a b c Escape 0 f c r x", "abx"},
        {"a b c d Escape 0 d t d", "d"},
        {"a b c Escape 0 3 i y Escape u", "abc"},
    };
    char path[] = "/tmp/kforge-editrc-XXXXXX";
    int fd = mkstemp(path);

    (void)state;
    assert_true(fd >= 0);
    assert_int_equal(write(fd, "bind -v\n", 8), 8);
    close(fd);
    setenv("EDITRC", path, 1);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct prompt_line *line = prompt_line_new(&plain);

        assert_int_equal(press(line, cases[i].keys), PROMPT_LINE_EDITING);
        assert_string_equal(prompt_line_text(line), cases[i].text);
        prompt_line_free(line);
    }
    unsetenv("EDITRC");
    unlink(path);
}

/* The line may be freed while a libedit command waits for another key. */
static void may_be_freed_amid_a_command(void **state)
{
    static const char *const keys[] = {"", "a C-v", "C-x", "C-r", "C-r a"};

    (void)state;
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        struct prompt_line *line = prompt_line_new(&plain);

        press(line, keys[i]);
        prompt_line_free(line);
    }
}

static size_t complete_fruit(const char *line, struct strbuf *words)
{
    static const char *const fruit[] = {"apple", "apricot", "banana", "crates/"};
    size_t start = strrchr(line, ' ') ? (size_t)(strrchr(line, ' ') - line) + 1 : 0;

    for (size_t i = 0; i < 4; i++)
        if (strncmp(fruit[i], line + start, strlen(line + start)) == 0)
            strbuf_addf(words, "%s\n", fruit[i]);
    return start;
}

static void tab_completes(void **state)
{
    static const struct prompt_line_options fruit = {.complete = complete_fruit};
    struct prompt_line *line = prompt_line_new(&fruit);

    (void)state;
    press(line, "b Tab");
    assert_string_equal(prompt_line_text(line), "banana ");
    press(line, "a Tab");
    assert_string_equal(prompt_line_text(line), "banana ap");
    assert_string_equal(prompt_line_words(line), "apple\napricot\n");
    press(line, "r Tab");
    assert_string_equal(prompt_line_text(line), "banana apricot ");
    assert_string_equal(prompt_line_words(line), "");
    press(line, "c Tab"); /* a completed folder can be continued */
    assert_string_equal(prompt_line_text(line), "banana apricot crates/");
    press(line, "x Tab");
    assert_string_equal(prompt_line_text(line), "banana apricot crates/x");
    prompt_line_free(line);
    line = prompt_line_new(&fruit);
    assert_int_equal(press(line, "b Tab Enter"), PROMPT_LINE_ENTERED);
    assert_string_equal(prompt_line_text(line), "banana");
    prompt_line_free(line);
}

/* The history is in kforge's data folder, here a temporary one. */
static void history_comes_back(void **state)
{
    static const struct prompt_line_options kept = {.history = "history"};
    char folder[] = "/tmp/kforge-test-XXXXXX";
    struct strbuf path = {0};
    struct prompt_line *line;

    (void)state;
    assert_non_null(mkdtemp(folder));
    setenv("XDG_STATE_HOME", folder, 1);
    for (int i = 0; i < 2; i++) {
        line = prompt_line_new(&kept);
        assert_int_equal(press(line, i ? "t w o Enter" : "o n e Enter"), PROMPT_LINE_ENTERED);
        prompt_line_free(line);
    }
    line = prompt_line_new(&kept);
    press(line, "x Up");
    assert_string_equal(prompt_line_text(line), "two");
    press(line, "Up");
    assert_string_equal(prompt_line_text(line), "one");
    press(line, "Down Down");
    assert_string_equal(prompt_line_text(line), "x");
    assert_int_equal(press(line, "C-u C-r n e Enter"), PROMPT_LINE_ENTERED);
    assert_string_equal(prompt_line_text(line), "one");
    prompt_line_free(line);
    strbuf_addf(&path, "%s/kforge/history", folder);
    assert_true(file_exists(strbuf_cstr(&path)));
    strbuf_release(&path);
    file_remove_folder(folder);
}

static size_t count_lines(const char *path)
{
    struct strbuf text = {0};
    size_t lines = 0;

    assert_int_equal(file_read(path, 1 << 20, &text, NULL), STATUS_OK);
    for (size_t i = 0; i < text.len; i++)
        lines += text.data[i] == '\n';
    strbuf_release(&text);
    return lines;
}

/* Lines that another program appends meanwhile stay; a file of many lines is cut to the latest. */
static void history_is_appended(void **state)
{
    char folder[] = "/tmp/kforge-test-XXXXXX";
    struct prompt_history *history;
    struct strbuf full = {0};
    char path[64];

    (void)state;
    assert_non_null(mkdtemp(folder));
    setenv("XDG_STATE_HOME", folder, 1);
    snprintf(path, sizeof(path), "%s/kforge/history", folder);
    history = prompt_history_new("history");
    prompt_history_add(history, "one two");
    prompt_history_add(history, "one two");
    prompt_history_add(history, "");
    assert_int_equal(count_lines(path), 2);
    assert_int_equal(truncate(path, 0), 0);
    prompt_history_add(history, "three");
    assert_int_equal(count_lines(path), 2);
    prompt_history_free(history);
    strbuf_adds(&full, "_HiStOrY_V2_\n");
    for (int i = 0; i < 2 * PROMPT_HISTORY_LINES; i++)
        strbuf_addf(&full, "line\\040%d\n", i);
    assert_int_equal(file_write(path, full.data, full.len, NULL), STATUS_OK);
    strbuf_release(&full);
    history = prompt_history_new("history");
    prompt_history_add(history, "last");
    assert_int_equal(count_lines(path), 1 + PROMPT_HISTORY_LINES);
    prompt_history_free(history);
    file_remove_folder(folder);
}

static void a_paste_is_one_line_of_text(void **state)
{
    struct prompt_line *line = prompt_line_new(&plain);

    (void)state;
    press(line, "a b Left");
    prompt_line_insert(line, "1\n2\t\xff", 5);
    assert_string_equal(prompt_line_text(line), "a1 2 \ufffdb");
    prompt_line_free(line);
}

static void scrolls_to_the_cursor(void **state)
{
    struct prompt_line *line = prompt_line_new(&plain);
    struct canvas canvas = {0};

    (void)state;
    canvas_reset(&canvas, 8, 1);
    press(line, "a b c d e f g h i");
    prompt_line_draw(line, "why ", canvas_area(&canvas, (struct rect){0, 0, 8, 1}));
    assert_int_equal(canvas_cell(&canvas, 4, 0)->code, 'g');
    assert_true(canvas.cursor.is_shown);
    assert_int_equal(canvas.cursor.x, 7);
    canvas_release(&canvas);
    prompt_line_free(line);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(edits),
        cmocka_unit_test(says_how_it_ended),
        cmocka_unit_test(vi_keys_work),
        cmocka_unit_test(may_be_freed_amid_a_command),
        cmocka_unit_test(tab_completes),
        cmocka_unit_test(history_comes_back),
        cmocka_unit_test(history_is_appended),
        cmocka_unit_test(a_paste_is_one_line_of_text),
        cmocka_unit_test(scrolls_to_the_cursor),
    };

    setlocale(LC_ALL, "C.UTF-8");
    return cmocka_run_group_tests_name("prompt_line", tests, NULL, NULL);
}
