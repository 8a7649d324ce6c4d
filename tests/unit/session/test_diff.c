#include "tests/unit/unit.h"

#include <string.h>

#include "core/base/strbuf.h"
#include "core/session/store/diff.h"

static void assert_diff(const char *old_text, const char *new_text, const char *expected)
{
    struct diff diff = {0};
    struct strbuf text = {0};

    diff_lines(old_text, new_text, &diff);
    for (size_t i = 0; i < diff.count; i++)
        strbuf_addf(&text, "%c%zu%.*s ", " -+"[diff.items[i].side], diff.items[i].number,
                    (int)diff.items[i].len, diff.items[i].text);
    assert_string_equal(strbuf_cstr(&text), expected);
    strbuf_release(&text);
    diff_release(&diff);
}

static void finds_the_shortest_script(void **state)
{
    (void)state;
    assert_diff("", "", "");
    assert_diff("a\nb\n", "a\nb\n", " 1a  2b ");
    assert_diff("", "a\nb", "+1a +2b ");
    assert_diff("a\nb", "", "-1a -2b ");
    assert_diff("a\nb\nc\n", "a\nX\nc\n", " 1a -2b +2X  3c ");
    assert_diff("a\n a\n\n", "a\n\ta\n \n", " 1a -2 a -3 +2\ta +3  ");
    /* Myers' example: ABCABBA to CBABAC takes five edits. */
    assert_diff("A\nB\nC\nA\nB\nB\nA", "C\nB\nA\nB\nA\nC", "-1A -2B  1C -4A  2B +3A  4B  5A +6C ");
}

/* When a change could begin at several lines, the diff begins it at the start of a block. */
static void a_function_that_came_is_whole(void **state)
{
    (void)state;
    assert_diff("f\n{\n  x\n}\n\nh\n{\n  x\n}\n", "f\n{\n  x\n}\n\ng\n{\n  x\n}\n\nh\n{\n  x\n}\n",
                " 1f  2{  3  x  4}  5 +6g +7{ +8  x +9} +10  11h  12{  13  x  14} ");
}

static void unlike_texts_replace_each_other(void **state)
{
    struct strbuf a = {0}, b = {0};
    struct diff diff = {0};

    (void)state;
    for (int i = 0; i < 2000; i++) {
        strbuf_addf(&a, "a%d\n", i);
        strbuf_addf(&b, "b%d\n", i);
    }
    diff_lines(strbuf_cstr(&a), strbuf_cstr(&b), &diff);
    assert_int_equal(diff.removed, 2000);
    assert_int_equal(diff.added, 2000);
    assert_int_equal(diff.items[0].side, DIFF_OLD);
    assert_int_equal(diff.items[3999].side, DIFF_NEW);
    diff_release(&diff);
    strbuf_release(&a);
    strbuf_release(&b);
}

static void hunks_have_their_places(void **state)
{
    static const char before[] = "a\nb\nc\nd\ne\nf\ng\nh\ni\n";
    static const char after[] = "a\nB\nc\nd\ne\nf\ng\nh\ni\nj\n";
    struct diff diff = {0};
    struct strbuf out = {0};

    (void)state;
    diff_lines(before, after, &diff);
    diff_print(&diff, 1, &out);
    assert_string_equal(strbuf_cstr(&out), "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n"
                                           "@@ -9,1 +9,2 @@\n i\n+j\n");
    strbuf_release(&out);
    diff_print(&diff, 4, &out);
    assert_string_equal(strbuf_cstr(&out), "@@ -1,9 +1,10 @@\n a\n-b\n+B\n c\n d\n e\n f\n g\n h\n"
                                           " i\n+j\n");
    strbuf_release(&out);
    diff_release(&diff);
    diff_lines(before, before, &diff);
    diff_print(&diff, 3, &out);
    assert_int_equal(out.len, 0);
    diff_release(&diff);
}

/* The words of the difference of two lines: "-old", "+new", " both". */
static void assert_words(const char *old_text, const char *new_text, const char *expected)
{
    const struct diff_line a = {.text = old_text, .len = strlen(old_text)};
    const struct diff_line b = {.text = new_text, .len = strlen(new_text)};
    struct strbuf out = {0};
    struct diff diff = {0};

    diff_words(&a, &b, &diff);
    for (size_t i = 0; i < diff.count; i++)
        strbuf_addf(&out, "%c%.*s|", " -+"[diff.items[i].side], (int)diff.items[i].len,
                    diff.items[i].text);
    assert_string_equal(strbuf_cstr(&out), expected);
    strbuf_release(&out);
    diff_release(&diff);
}

/* A change in one place, in several places, at either end, of repeated words, and none. */
static void words_that_differ_are_found(void **state)
{
    (void)state;
    assert_words("a=1;", "a=2;", " a| =|-1|+2| ;|");
    assert_words("a=1;b", "a=2;c", " a| =|-1|+2| ;|-b|+c|");
    assert_words("x=y;", "w=x=y;", "+w|+=| x| =| y| ;|");
    assert_words("f(a)", "f(a)(a)", " f| (| a| )|+(|+a|+)|");
    assert_words("b", "a.b", "+a|+.| b|");
    assert_words("a+a", "a", " a|-+|-a|");
    assert_words("same", "same", " same|");
    assert_words("", "new", "+new|");
    assert_words("a", "b+a+c", "+b|++| a|++|+c|");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hunks_have_their_places),
        cmocka_unit_test(a_function_that_came_is_whole),
        cmocka_unit_test(finds_the_shortest_script),
        cmocka_unit_test(unlike_texts_replace_each_other),
        cmocka_unit_test(words_that_differ_are_found),
    };

    return cmocka_run_group_tests_name("diff", tests, NULL, NULL);
}
