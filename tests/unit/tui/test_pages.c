#include "tests/unit/unit.h"

#include <stdio.h>
#include <string.h>

#include "tui/cli/command.h"
#include "tui/frame/completion.h"
#include "tui/frame/overlay.h"
#include "tui/manual/completions.h"
#include "tui/manual/pages.h"
#include "tui/manual/roff.h"
#include "tui/manual/synopsis.h"

/* Hyphens of manual pages can be copied, which makes them longer. */
static void assert_holds(const struct strbuf *page, const char *text)
{
    struct strbuf wanted = {0};

    for (; *text; text++)
        strbuf_addf(&wanted, "%s%c", *text == '-' ? "\\" : "", *text);
    if (!memmem(page->data, page->len, strbuf_cstr(&wanted), strlen(strbuf_cstr(&wanted))))
        fail_msg("the page lacks \"%s\"", strbuf_cstr(&wanted));
    strbuf_release(&wanted);
}

static void add_help(struct strbuf *out)
{
    struct keymap keymap = {0};
    struct message_log messages = {0};
    const struct overlay_facts facts = {
        .keymap = &keymap, .contexts = CONTEXT_PANES, .messages = &messages, .judge = ""};
    const struct pattern nothing = {0};
    struct canvas canvas = {0};
    struct overlay overlay = {0};

    keymap_fill(&keymap);
    canvas_reset(&canvas, 80, 24);
    overlay_open(&overlay, OVERLAY_HELP);
    overlay_draw(&overlay, &facts, &nothing, &canvas);
    widget_text_add_text(&overlay.page.view, out);
    overlay_release(&overlay);
    canvas_release(&canvas);
    keymap_release(&keymap);
}

static void help_manual_and_completion_have_every_command(void **state)
{
    struct strbuf manual = {0}, help = {0}, words = {0};

    (void)state;
    pages_add_program(&manual);
    add_help(&help);
    completion_of_command("", &words);
    for (const struct keymap_row *row = keymap_table; row->name; row++) {
        struct strbuf name = {0}, word = {0};

        strbuf_addf(&name, ":%s", row->name);
        strbuf_addf(&word, "%s\n", row->name);
        assert_holds(&manual, strbuf_cstr(&name));
        assert_holds(&manual, row->help);
        assert_non_null(strstr(strbuf_cstr(&help), strbuf_cstr(&name)));
        assert_non_null(strstr(strbuf_cstr(&help), row->help));
        assert_non_null(strstr(strbuf_cstr(&words), strbuf_cstr(&word)));
        strbuf_release(&name);
        strbuf_release(&word);
    }
    strbuf_release(&manual);
    strbuf_release(&help);
    strbuf_release(&words);
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
        const char *at = command_list[i]->synopsis;
        struct synopsis_option option;
        char written[64];

        assert_holds(&manual, command_list[i]->summary);
        while (synopsis_next(&at, &option)) {
            snprintf(written, sizeof(written), "--%s", option.name);
            assert_holds(&manual, written);
            assert_non_null(strstr(strbuf_cstr(&bash), written));
            assert_non_null(strstr(strbuf_cstr(&zsh), written));
            snprintf(written, sizeof(written), "from %s' -l %s", command_list[i]->name,
                     option.name);
            assert_non_null(strstr(strbuf_cstr(&fish), written));
        }
    }
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

static void a_synopsis_tells_its_options(void **state)
{
    const char *at =
        "SESSION [--agent builtin|openai:MODEL|manual[:FOLDER]|\n     x:Y] [--keys FILE] [--ask]";
    const char *words;
    struct synopsis_option option;
    char word[32];

    (void)state;
    assert_int_equal(synopsis_kind(at), SYNOPSIS_SESSION);
    assert_true(synopsis_next(&at, &option));
    assert_string_equal(option.name, "agent");
    words = option.value;
    for (const char *const *wanted =
             (const char *const[]){"builtin", "openai:", "manual", "x:", NULL};
         *wanted; wanted++) {
        assert_true(synopsis_next_word(&words, word));
        assert_string_equal(word, *wanted);
    }
    assert_false(synopsis_next_word(&words, word));
    assert_true(synopsis_next(&at, &option));
    assert_string_equal(option.name, "keys");
    assert_string_equal(option.value, "FILE");
    assert_int_equal(synopsis_kind(option.value), SYNOPSIS_FILE);
    assert_true(synopsis_next(&at, &option));
    assert_string_equal(option.name, "ask");
    assert_string_equal(option.value, "");
    assert_false(synopsis_next(&at, &option));
}

/* A value that may be left out is none to complete; one option instead of another is an option. */
static void brackets_and_bars_end_an_option(void **state)
{
    static const char *const names[] = {"watch", "left", "right", "last"};
    const char *at = "[--watch[=TOOL]] [--left | --right] [--last FILE]";
    struct synopsis_option option;

    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        assert_true(synopsis_next(&at, &option));
        assert_string_equal(option.name, names[i]);
        assert_string_equal(option.value, i == 3 ? "FILE" : "");
    }
    assert_false(synopsis_next(&at, &option));
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
        cmocka_unit_test(help_manual_and_completion_have_every_command),
        cmocka_unit_test(the_manual_has_every_subcommand_and_option),
        cmocka_unit_test(the_manual_has_every_context_and_role),
        cmocka_unit_test(a_synopsis_tells_its_options),
        cmocka_unit_test(brackets_and_bars_end_an_option),
        cmocka_unit_test(roff_takes_nothing_for_a_request),
        cmocka_unit_test(roff_lists_the_rows_of_a_table),
    };

    return cmocka_run_group_tests_name("pages", tests, NULL, NULL);
}
