#include "tests/unit/unit.h"

#include <locale.h>
#include <string.h>

#include "tui/code.h"

/* The roles of a line's columns, as one letter each; '.' for plain text. */
static void assert_roles(enum code_state state, const char *line, const char *expected)
{
    static const char letters[ROLE_COUNT] = {
        [ROLE_TEXT] = '.',   [ROLE_KEYWORD] = 'k', [ROLE_TYPE] = 't',    [ROLE_BUILTIN] = 'b',
        [ROLE_NUMBER] = 'n', [ROLE_STRING] = 's',  [ROLE_COMMENT] = 'c', [ROLE_DIRECTIVE] = 'd',
    };
    char found[128] = {0};
    struct canvas canvas = {0};
    struct pen pen;

    canvas_reset(&canvas, 120, 1);
    pen = area_pen(canvas_area(&canvas, (struct rect){0, 0, 120, 1}), 0, 0);
    code_put_line(&pen, state, line, strlen(line));
    for (size_t x = 0; x < strlen(line); x++)
        found[x] = letters[canvas_cell(&canvas, (int)x, 0)->role];
    assert_string_equal(found, expected);
    canvas_release(&canvas);
}

static void tells_words_apart(void **state)
{
    (void)state;
    assert_roles(CODE_PLAIN, "__kernel void f(__global float4 *x)",
                 "kkkkkkkk.tttt...kkkkkkkk.tttttt....");
    assert_roles(CODE_PLAIN, "int i = get_global_id(0);", "ttt.....bbbbbbbbbbbbb.n..");
    assert_roles(CODE_PLAIN, "y = vload8(i, x) * 1.5e-3f;", "....bbbbbb.........nnnnnnn.");
    assert_roles(CODE_PLAIN, "float4x = floats + printf;", "...................bbbbbb.");
}

static void finds_comments_strings_and_directives(void **state)
{
    (void)state;
    assert_roles(CODE_PLAIN, "a /* b */ + c // d", "..ccccccc.....cccc");
    assert_roles(CODE_PLAIN, "s = \"a\\\"/*b\" + 'c'", "....ssssssss...sss");
    assert_roles(CODE_PLAIN, "#define N 4 /* n */", "ddddddddddddccccccc");
    assert_roles(CODE_COMMENT, "still */ int", "cccccccc.ttt");
    assert_roles(CODE_PLAIN, "\"never closed", "sssssssssssss");
}

static void state_crosses_lines(void **state)
{
    (void)state;
    assert_int_equal(code_next_line(CODE_PLAIN, "int a; /* b", 11), CODE_COMMENT);
    assert_int_equal(code_next_line(CODE_COMMENT, "b", 1), CODE_COMMENT);
    assert_int_equal(code_next_line(CODE_COMMENT, "b */", 4), CODE_PLAIN);
    assert_int_equal(code_next_line(CODE_PLAIN, "#define A \\", 11), CODE_DIRECTIVE);
    assert_int_equal(code_next_line(CODE_DIRECTIVE, "b", 1), CODE_PLAIN);
    assert_int_equal(code_next_line(CODE_PLAIN, "/*", 2), CODE_COMMENT);
}

/* Every prefix of odd bytes ends: each token takes at least one byte and none too many. */
static void takes_any_bytes(void **state)
{
    static const char bytes[] = "\"\\\0#/*\xff'\\1.e+.*//\\";

    (void)state;
    for (size_t from = 0; from < sizeof(bytes); from++) {
        enum code_state lexer = CODE_PLAIN;

        for (size_t at = from; at < sizeof(bytes);) {
            enum role role;
            size_t taken = code_token(&lexer, bytes + at, sizeof(bytes) - at, &role);

            assert_true(taken > 0 && taken <= sizeof(bytes) - at);
            at += taken;
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tells_words_apart),
        cmocka_unit_test(finds_comments_strings_and_directives),
        cmocka_unit_test(state_crosses_lines),
        cmocka_unit_test(takes_any_bytes),
    };

    setlocale(LC_ALL, "C.UTF-8");
    return cmocka_run_group_tests_name("code", tests, NULL, NULL);
}
