#include "tests/unit/unit.h"

#include <string.h>

#include "tui/panels/source_diff.h"

static const char old_text[] = "a\nb\nint x = 1;\nc\nd\ne\n";
static const char new_text[] = "a\nb\nint y = 1;\nmore\nc\nd\ne\n";

/* The lines as "12+text", followed by their highlighted words in brackets. */
static void describe(struct widget_text *text, struct strbuf *out)
{
    for (size_t i = 0; i < text->lines.count; i++) {
        const struct text_line *line = &text->lines.items[i];

        strbuf_addf(out, "%zu%c%.*s", line->number, line->mark ? line->mark : ' ', (int)line->len,
                    line->text);
        widget_text_find_spans(text, i);
        for (size_t s = 0; s < line->span_count; s++) {
            const struct text_span *span = &text->spans.items[line->first_span + s];

            strbuf_addf(out, "[%.*s]", (int)span->len, line->text + span->from);
        }
        strbuf_adds(out, "\n");
    }
}

static void assert_described(struct widget_text *text, const char *expected)
{
    struct strbuf out = {0};

    describe(text, &out);
    assert_string_equal(strbuf_cstr(&out), expected);
    strbuf_release(&out);
}

static void one_column_has_gaps_and_marked_words(void **state)
{
    const struct source_diff compare = {.old_text = old_text, .new_text = new_text, .context = 1};
    struct widget_text text = {0};

    (void)state;
    source_diff_unified(&compare, &text);
    assert_described(&text, "0 ...\n2 b\n3-int x = 1;[x]\n3+int y = 1;[y]\n4+more\n5 c\n0 ...\n");
    widget_text_release(&text);
}

static void two_columns_stand_line_by_line(void **state)
{
    const struct source_diff compare = {
        .old_text = old_text, .new_text = new_text, .context = SOURCE_DIFF_ALL};
    struct widget_text old_side = {0}, new_side = {0};

    (void)state;
    source_diff_split(&compare, &old_side, &new_side);
    assert_described(&old_side, "1 a\n2 b\n3-int x = 1;[x]\n0 \n4 c\n5 d\n6 e\n");
    assert_described(&new_side, "1 a\n2 b\n3+int y = 1;[y]\n4+more\n5 c\n6 d\n7 e\n");
    widget_text_release(&old_side);
    widget_text_release(&new_side);
}

static void lines_with_little_in_common_are_not_marked(void **state)
{
    const struct source_diff compare = {.old_text = "float sum;\n", .new_text = "return;\n"};
    struct widget_text text = {0};

    (void)state;
    source_diff_unified(&compare, &text);
    assert_described(&text, "1-float sum;\n1+return;\n");
    widget_text_release(&text);
}

static size_t count_compared(const struct widget_text *text)
{
    size_t count = 0;

    for (size_t i = 0; i < text->lines.count; i++)
        count += text->lines.items[i].has_spans;
    return count;
}

/* The words of long differences are compared where they are shown, and again for other texts. */
static void words_of_lines_in_view_are_compared(void **state)
{
    struct strbuf before = {0}, after = {0};
    struct canvas canvas = {0};
    struct widget_text text = {0};

    (void)state;
    for (int i = 0; i < 300; i++) {
        strbuf_addf(&before, "int x%d = old;\n", i);
        strbuf_addf(&after, "int x%d = new;\n", i);
    }
    canvas_reset(&canvas, 40, 10);
    source_diff_unified(
        &(struct source_diff){.old_text = strbuf_cstr(&before), .new_text = strbuf_cstr(&after)},
        &text);
    widget_text_draw(&text, canvas_area(&canvas, (struct rect){0, 0, 40, 10}));
    assert_int_equal(text.lines.count, 600);
    assert_int_equal(count_compared(&text), 10);
    widget_text_clear(&text);
    source_diff_unified(&(struct source_diff){.old_text = old_text, .new_text = new_text}, &text);
    assert_described(&text, "0 ...\n3-int x = 1;[x]\n3+int y = 1;[y]\n4+more\n0 ...\n");
    widget_text_release(&text);
    canvas_release(&canvas);
    strbuf_release(&before);
    strbuf_release(&after);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_column_has_gaps_and_marked_words),
        cmocka_unit_test(two_columns_stand_line_by_line),
        cmocka_unit_test(lines_with_little_in_common_are_not_marked),
        cmocka_unit_test(words_of_lines_in_view_are_compared),
    };

    return cmocka_run_group_tests_name("compare", tests, NULL, NULL);
}
