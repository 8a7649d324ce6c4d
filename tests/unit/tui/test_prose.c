#include "tests/unit/unit.h"

#include <string.h>

#include "tui/widgets/prose.h"

static void assert_unfolded(const char *text, const char *wanted)
{
    struct strbuf out = {0};

    prose_unfold(text, strlen(text), &out);
    assert_string_equal(strbuf_cstr(&out), wanted);
    strbuf_release(&out);
}

static void a_paragraph_becomes_one_line(void **state)
{
    (void)state;
    assert_unfolded("The exponentials are\nwritten to y\n  while summed.\n\nThen\nmore\n",
                    "The exponentials are written to y while summed.\n\nThen more\n");
    assert_unfolded("", "");
    assert_unfolded("half a line", "half a line");
}

/* Text that is decided on must not change: code, and lines that a reader of Markdown sees apart. */
static void all_other_lines_stay(void **state)
{
    static const char *const same[] = {
        "```opencl\nint a;\nint b;\n```\n",
        "````\n```\nint a;\nint b;\n```\n````\n",
        "text\n```c\nint a;\n",
        "# Title\ntext\n",
        "text\n# Title\n",
        "Title\n-----\ntext\n",
        "| a | b |\n| 1 | 2 |\n",
        "> one\n> two\n",
        "text\n\n    int a;\n    int b;\n",
        "one  \ntwo\n",
        "one\\\ntwo\n",
        "first:\n- a\n- b\n2. c\n",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++)
        assert_unfolded(same[i], same[i]);
    assert_unfolded("- an item that\n  goes on\n- b\n", "- an item that goes on\n- b\n");
    assert_unfolded("a\n```\nb\n```\nc\nd\n", "a\n```\nb\n```\nc d\n");
}

/* A text that streams in only changes at its end, and has its newline until the next line begins.
 */
static void the_end_of_a_stream_stays_open(void **state)
{
    (void)state;
    assert_unfolded("one\n", "one\n");
    assert_unfolded("one\nt", "one t");
    assert_unfolded("one\n`", "one `");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_paragraph_becomes_one_line),
        cmocka_unit_test(all_other_lines_stay),
        cmocka_unit_test(the_end_of_a_stream_stays_open),
    };

    return cmocka_run_group_tests_name("prose", tests, NULL, NULL);
}
