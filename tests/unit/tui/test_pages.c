#include "tests/unit/unit.h"

#include <stdio.h>
#include <string.h>

#include "core/base/array.h"
#include "tui/cli/command.h"
#include "tui/frame/completion.h"
#include "tui/frame/overlay.h"
#include "tui/manual/completions.h"
#include "tui/manual/pages.h"
#include "tui/manual/roff.h"

/*
 * Assert that the page contains the text. Manual pages escape a hyphen as "\-", so that it can be
 * copied.
 */
static void assert_holds(const struct strbuf *page, const char *text)
{
    struct strbuf wanted = {0};

    for (; *text; text++)
        strbuf_addf(&wanted, "%s%c", *text == '-' ? "\\" : "", *text);
    if (!memmem(page->data, page->len, strbuf_cstr(&wanted), strlen(strbuf_cstr(&wanted))))
        fail_msg("the page lacks \"%s\"", strbuf_cstr(&wanted));
    strbuf_release(&wanted);
}

/* Join the lines of a page, so that a text is found that was broken between them. */
static void join_lines(struct strbuf *page)
{
    size_t len = 0;

    for (size_t i = 0; i < page->len; i++) {
        char c = page->data[i] == '\n' ? ' ' : page->data[i];

        if (c != ' ' || len == 0 || page->data[len - 1] != ' ')
            page->data[len++] = c;
    }
    page->len = len;
    page->data[len] = '\0';
}

/* The help on a screen of `columns`, as one line. No line of it is cut. */
static void add_help(struct strbuf *out, int columns)
{
    struct keymap keymap = {0};
    struct message_log messages = {0};
    const struct overlay_facts facts = {
        .keymap = &keymap, .contexts = CONTEXT_PANES, .messages = &messages, .judge = ""};
    const struct pattern nothing = {0};
    struct canvas canvas = {0};
    struct overlay overlay = {0};

    keymap_fill(&keymap);
    canvas_reset(&canvas, columns, 24);
    overlay_open(&overlay, OVERLAY_HELP);
    overlay_draw(&overlay, &facts, &nothing, &canvas);
    for (size_t i = 0; i < overlay.page.lines.count; i++)
        assert_true(overlay.page.lines.items[i].len <= (size_t)overlay.place.w - 2);
    assert_false(overlay_is_at(&overlay, columns / 2, 22)); /* the row of the prompt */
    widget_text_add_text(&overlay.page.view, out);
    join_lines(out);
    overlay_release(&overlay);
    canvas_release(&canvas);
    keymap_release(&keymap);
}

static void the_help_has_every_command_on_any_screen(void **state)
{
    static const int columns[] = {40, 60, 80, 200};

    (void)state;
    for (size_t i = 0; i < COUNT(columns); i++) {
        struct strbuf help = {0};

        add_help(&help, columns[i]);
        for (const struct keymap_row *row = keymap_table; row->name; row++) {
            struct strbuf name = {0};

            strbuf_addf(&name, " :%s %s", row->name, row->help);
            assert_non_null(strstr(strbuf_cstr(&help), strbuf_cstr(&name)));
            strbuf_release(&name);
        }
        strbuf_release(&help);
    }
}

static void manual_and_completion_have_every_command(void **state)
{
    struct strbuf manual = {0}, words = {0};

    (void)state;
    pages_add_program(&manual);
    completion_of_command("", &words);
    for (const struct keymap_row *row = keymap_table; row->name; row++) {
        struct strbuf name = {0}, word = {0};

        strbuf_addf(&name, ":%s", row->name);
        strbuf_addf(&word, "%s\n", row->name);
        assert_holds(&manual, strbuf_cstr(&name));
        assert_holds(&manual, row->help);
        assert_non_null(strstr(strbuf_cstr(&words), strbuf_cstr(&word)));
        strbuf_release(&name);
        strbuf_release(&word);
    }
    strbuf_release(&manual);
    strbuf_release(&words);
}

static void the_manual_has_every_variable_of_the_environment(void **state)
{
    static const char *const names[] = {"KFORGE_API_KEY_ENV",
                                        "KFORGE_THINKING",
                                        "KFORGE_HTTP_FIRST_BYTE_MS",
                                        "KFORGE_HTTP_RETRY_MS",
                                        "KFORGE_HTTP_SILENCE_MS",
                                        "KFORGE_PYTHON",
                                        "KFORGE_CC",
                                        "KFORGE_CXX",
                                        "KFORGE_SYCL",
                                        "KFORGE_READABLE",
                                        "KFORGE_WORKER_SILENCE",
                                        "KFORGE_ROOT"};
    struct strbuf manual = {0};

    (void)state;
    pages_add_program(&manual);
    for (size_t i = 0; i < COUNT(names); i++)
        assert_holds(&manual, names[i]);
    strbuf_release(&manual);
}

static void the_manual_has_every_subcommand_and_option(void **state)
{
    struct strbuf manual = {0}, bash = {0}, zsh = {0}, fish = {0};

    (void)state;
    pages_add_program(&manual);
    completions_add_bash(&bash);
    completions_add_zsh(&zsh);
    completions_add_fish(&fish);
    for (size_t i = 0; command_list[i]; i++) {
        const struct option_row *row;
        char written[64];

        assert_holds(&manual, command_list[i]->summary);
        for (size_t j = 0; (row = option_at(command_list[i]->options, j)) != NULL; j++) {
            snprintf(written, sizeof(written), "--%s", row->name);
            assert_holds(&manual, written);
            assert_non_null(strstr(strbuf_cstr(&bash), written));
            assert_non_null(strstr(strbuf_cstr(&zsh), written));
            snprintf(written, sizeof(written), "from %s' -l %s", command_list[i]->name, row->name);
            assert_non_null(strstr(strbuf_cstr(&fish), written));
        }
    }
    assert_non_null(strstr(strbuf_cstr(&fish), "from review' -a '(__kforge_sessions)'"));
    strbuf_release(&manual);
    strbuf_release(&bash);
    strbuf_release(&zsh);
    strbuf_release(&fish);
}

static void the_manual_has_every_context_and_role(void **state)
{
    struct strbuf page = {0};

    (void)state;
    pages_add_formats(&page, "## Problem\n\nText.\n");
    for (const struct keymap_context *context = keymap_contexts; context->name; context++)
        assert_holds(&page, context->title);
    for (enum role role = 0; role < ROLE_COUNT; role++)
        assert_holds(&page, theme_role_name(role));
    assert_holds(&page, "Text.");
    strbuf_release(&page);
}

struct options {
    const char *agent, *tool;
    bool ask;
    unsigned count;
};

static enum status take_tool(void *field, const char *text, struct error *err)
{
    (void)err;
    *(const char **)field = text ? text : "none";
    return STATUS_OK;
}

static const struct option_row rows[] = {
    {.name = "agent",
     .value = "builtin|openai:MODEL|manual[:FOLDER]|x2:Y",
     .help = "who\nwrites",
     .kind = OPTION_TEXT,
     .offset = offsetof(struct options, agent)},
    {.name = "ask", .help = "ask", .kind = OPTION_FLAG, .offset = offsetof(struct options, ask)},
    {0},
};

static const struct option_row more_rows[] = {
    {.name = "count",
     .value = "N",
     .help = "N times",
     .kind = OPTION_COUNT,
     .offset = offsetof(struct options, count) - offsetof(struct options, tool),
     .most = 3},
    {.name = "tool",
     .value = "TOOL",
     .help = "with a tool",
     .kind = OPTION_CUSTOM,
     .take = take_tool,
     .is_value_optional = true},
    {0},
};

static const struct option_set sets[] = {
    {rows, 0},
    {more_rows, offsetof(struct options, tool)},
    {0},
};

static void a_table_writes_synopsis_and_help(void **state)
{
    struct strbuf text = {0};

    (void)state;
    option_add_synopsis(sets, 40, &text);
    assert_string_equal(strbuf_cstr(&text), "[--agent builtin|openai:MODEL|manual[:FOLDER]|x2:Y]\n"
                                            "           [--ask] [--count N] [--tool[=TOOL]]");
    text.len = 0;
    option_add_help(sets, &text);
    assert_string_equal(strbuf_cstr(&text), "  --agent                who\n"
                                            "                         writes\n"
                                            "  --ask                  ask\n"
                                            "  --count N              N times\n"
                                            "  --tool[=TOOL]          with a tool\n");
    strbuf_release(&text);
}

static void a_table_fills_a_struct(void **state)
{
    char name[] = "kforge", file[] = "file", agent[] = "--agent", a[] = "a", tool[] = "--tool";
    char count[] = "--count=2", too_many[] = "--count=4", ask[] = "--ask";
    char *argv[] = {name, file, agent, a, tool, count, ask, NULL};
    struct options options = {0};
    struct error err = {0};
    struct arguments arguments = {7, argv};

    (void)state;
    assert_int_equal(option_parse(sets, &options, &arguments, &err), STATUS_OK);
    assert_int_equal(arguments.count, 1);
    assert_ptr_equal(arguments.items[0], file);
    assert_string_equal(options.agent, "a");
    assert_string_equal(options.tool, "none");
    assert_int_equal(options.count, 2);
    assert_true(options.ask);
    argv[1] = too_many;
    arguments = (struct arguments){2, argv};
    assert_int_equal(option_parse(sets, &options, &arguments, &err), STATUS_INVALID);
    assert_string_equal(err.text, "--count \"4\": expected a number from 1 to 3");
}

static void a_value_has_words_to_choose_from(void **state)
{
    const char *at = rows[0].value;
    char word[32];

    (void)state;
    for (const char *const *wanted =
             (const char *const[]){"builtin", "openai:", "manual", "x2:", NULL};
         *wanted; wanted++) {
        assert_true(option_next_word(&at, word));
        assert_string_equal(word, *wanted);
    }
    assert_false(option_next_word(&at, word));
    assert_int_equal(option_value_of("SESSION [STEP]"), OPTION_VALUE_SESSION);
    assert_int_equal(option_value_of("FILE"), OPTION_VALUE_FILE);
    assert_int_equal(option_value_of("N"), OPTION_VALUE_TEXT);
}

static void roff_takes_nothing_for_a_request(void **state)
{
    struct strbuf page = {0};

    (void)state;
    roff_code(&page, ".so /etc/passwd\n'a \\n -x");
    roff_markdown(&page, "# T\n\nOne\n`two`.\n\n## A `b`\n\n- item\n  more\n\n    .code\n");
    assert_string_equal(strbuf_cstr(&page),
                        ".PP\n.EX\n\\&.so /etc/passwd\n\\&'a \\en \\-x\n.EE\n"
                        ".PP\nOne\n\\fBtwo\\fR.\n.SH \"A b\"\n"
                        ".IP \\(bu 2\nitem\nmore\n.PP\n.EX\n    .code\n\n.EE\n");
    strbuf_release(&page);
}

static void roff_lists_the_rows_of_a_table(void **state)
{
    struct strbuf page = {0};

    (void)state;
    roff_markdown(&page, "### Sub\n\n| key | means |\n| --- | --- |\n| `a` | one |\n\n"
                         "| t | C | CUDA |\n| --- | --- | --- |\n| `b` | x | |\n| c | y | z |\n");
    assert_string_equal(strbuf_cstr(&page),
                        ".SS \"Sub\"\n.TP\n\\fBa\\fR\none\n"
                        ".TP\n\\fBb\\fR\nC: x\n.TP\n\\fBc\\fR\nC: y; CUDA: z\n");
    strbuf_release(&page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_help_has_every_command_on_any_screen),
        cmocka_unit_test(manual_and_completion_have_every_command),
        cmocka_unit_test(the_manual_has_every_variable_of_the_environment),
        cmocka_unit_test(the_manual_has_every_subcommand_and_option),
        cmocka_unit_test(the_manual_has_every_context_and_role),
        cmocka_unit_test(a_table_writes_synopsis_and_help),
        cmocka_unit_test(a_table_fills_a_struct),
        cmocka_unit_test(a_value_has_words_to_choose_from),
        cmocka_unit_test(roff_takes_nothing_for_a_request),
        cmocka_unit_test(roff_lists_the_rows_of_a_table),
    };

    return cmocka_run_group_tests_name("pages", tests, NULL, NULL);
}
