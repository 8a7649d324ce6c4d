#include "core/model/plan/c_token.h"

#include "tests/unit/unit.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/strbuf.h"

/* The tokens of a text, each with a letter for its kind before it. */
static char *tokens_of(const char *text)
{
    static const char letters[] = {[C_TOKEN_END] = 'e',
                                   [C_TOKEN_WORD] = 'w',
                                   [C_TOKEN_SIGN] = 's',
                                   [C_TOKEN_DIRECTIVE] = 'd',
                                   [C_TOKEN_LOST] = 'l'};
    struct strbuf list = {0};
    struct c_token token;

    do {
        token = c_token_next(&text);
        strbuf_addf(&list, "%c(%.*s)", letters[token.kind], (int)token.len, token.text);
    } while (token.len);
    return strbuf_take(&list);
}

static void a_text_has_words_signs_and_directives(void **state)
{
    static const struct {
        const char *text, *tokens;
    } cases[] = {
        {"", "e()"},
        {" a_1$ = 1'000 + 1e5f;", "w(a_1$)s(=)w(1'000)s(+)w(1e5f)s(;)e()"},
        {"a /* { */ b // }\nc", "w(a)w(b)w(c)e()"},
        {"f(\"{ \\\" //\", '}')", "w(f)s(()s(,)s())e()"},
        {"a // b \\\n c\nd", "w(a)w(d)e()"},
        {"#define A \\\n { // \"\nb", "d(#define A \\\n { // \")w(b)e()"},
        {"a /* b", "w(a)l()"},
        {"a \"b\nc\"", "w(a)l()"},
        {"R\"({)\";", "l()"},
        {"a \\", "w(a)s(\\)e()"},
        {"\"\\", "l()"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char *tokens = tokens_of(cases[i].text);

        assert_string_equal(tokens, cases[i].tokens);
        free(tokens);
    }
}

/* Reading goes on at the same place, so that a caller who asks again learns the same. */
static void nothing_is_read_after_an_open_comment(void **state)
{
    const char *at = "a /* b";

    (void)state;
    assert_int_equal(c_token_next(&at).kind, C_TOKEN_WORD);
    assert_int_equal(c_token_next(&at).kind, C_TOKEN_LOST);
    assert_int_equal(c_token_next(&at).kind, C_TOKEN_LOST);
}

static void a_token_is_compared_as_a_whole(void **state)
{
    static const char *const words[] = {"in", "int", NULL}, *const longer[] = {"integer", NULL};
    const char *at = "int";
    struct c_token token = c_token_next(&at), end = c_token_next(&at);

    (void)state;
    assert_true(c_token_is(&token, "int"));
    assert_false(c_token_is(&token, "in"));
    assert_true(c_token_is_one_of(&token, words));
    assert_false(c_token_is_one_of(&token, longer));
    assert_false(c_token_is_one_of(&end, words));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_text_has_words_signs_and_directives),
        cmocka_unit_test(nothing_is_read_after_an_open_comment),
        cmocka_unit_test(a_token_is_compared_as_a_whole),
    };

    return cmocka_run_group_tests_name("c_token", tests, NULL, NULL);
}
