#include "tests/unit/unit.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "tui/term/canvas.h"
#include "tui/term/screenshot.h"
#include "tui/term/table_column.h"

static void assert_shows(const struct canvas *canvas, const char *expected)
{
    struct strbuf text = {0};

    screenshot_text(canvas, &text);
    assert_string_equal(strbuf_cstr(&text), expected);
    strbuf_release(&text);
}

static struct canvas canvas_of(int w, int h)
{
    struct canvas canvas = {0};

    canvas_reset(&canvas, w, h);
    return canvas;
}

/* An area surrounded by dots, for texts that try to leave it. */
static struct area inside_dots(struct canvas *canvas)
{
    struct pen pen;

    canvas_reset(canvas, 12, 3);
    for (int y = 0; y < 3; y++) {
        pen = area_pen(canvas_area(canvas, (struct rect){0, 0, 12, 3}), 0, y);
        pen_puts(&pen, ROLE_TEXT, "............");
    }
    return area_part(canvas_area(canvas, (struct rect){0, 0, 12, 3}), (struct rect){2, 1, 8, 1});
}

static void clips_at_the_edges(void **state)
{
    struct canvas canvas = {0};
    struct area area = inside_dots(&canvas);
    struct pen pen = area_pen(area, -3, 0);

    (void)state;
    pen_puts(&pen, ROLE_TEXT, "0123456789abcdef");
    assert_shows(&canvas, "............\n..3456789a..\n............\n");
    pen = area_pen(area, 0, 1);
    pen_puts(&pen, ROLE_TEXT, "below");
    assert_shows(&canvas, "............\n..3456789a..\n............\n");
    canvas_release(&canvas);
}

/* Columns of a table begin at the same place, whatever the width of a character. */
static void columns_are_cut_and_filled(void **state)
{
    static const char *const texts[][2] = {{"a", "a     |\n"},
                                           {"abcdefgh", "abcdef|\n"},
                                           {"\u6df1\u5ea6\u5b66\u4e60", "\u6df1\u5ea6\u5b66|\n"},
                                           {"\u00fc\u6df1\u5ea6\u5b66", "\u00fc\u6df1\u5ea6 |\n"}};

    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        struct canvas canvas = canvas_of(8, 1);
        struct pen pen = area_pen(canvas_area(&canvas, (struct rect){0, 0, 8, 1}), 0, 0);

        pen_put_column(&pen, ROLE_TEXT, 6, texts[i][0]);
        pen_puts(&pen, ROLE_TEXT, "|");
        assert_shows(&canvas, texts[i][1]);
        canvas_release(&canvas);
    }
}

/* A long name keeps both ends, so that names with the same beginning differ. */
static void a_long_name_loses_its_middle(void **state)
{
    static const char *const texts[][2] = {
        {"layernorm_0", "layernorm_0|\n"},
        {"fused_layernorm_001", "fuse..._001|\n"},
        {"\u6df1\u5ea6\u5b66\u4e60\u6df1\u5ea6\u5b66\u4e60", "\u6df1\u5ea6...\u5b66\u4e60|\n"},
        {"x\u6df1\u5ea6\u5b66\u4e60\u6df1\u5ea6\u5b66y", "x\u6df1...\u5b66y  |\n"},
        {"cafe\u0301s_and_a\u0301a\u0301a\u0301e\u0301",
         "cafe\u0301...a\u0301a\u0301a\u0301e\u0301|\n"}};

    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        struct canvas canvas = canvas_of(12, 1);
        struct pen pen = area_pen(canvas_area(&canvas, (struct rect){0, 0, 12, 1}), 0, 0);

        pen_put_column(&pen, ROLE_TEXT, 11, texts[i][0]);
        pen_puts(&pen, ROLE_TEXT, "|");
        assert_shows(&canvas, texts[i][1]);
        canvas_release(&canvas);
    }
}

static void blanks_stand_for_a_cut_wide_character(void **state)
{
    struct canvas canvas = {0};
    struct area area = inside_dots(&canvas);
    struct pen pen = area_pen(area, -1, 0);

    (void)state;
    pen_puts(&pen, ROLE_TEXT, "\u6c34\u6c34\u6c34\u6c34\u6c34"); /* water, two columns each */
    assert_shows(&canvas, "............\n.. \u6c34\u6c34\u6c34 ..\n............\n");
    canvas_release(&canvas);
}

/*
 * Accents and the vowels of Korean share the cells of their letter: at an edge, in wrapped text,
 * in a search, and when the letter is overwritten.
 */
static void marks_share_the_cells_of_their_letter(void **state)
{
    static const char text[] = "Cafe\u0301 \u1112\u1161\u11ab";
    struct canvas canvas = canvas_of(8, 1);
    struct area whole = canvas_area(&canvas, (struct rect){0, 0, 8, 1});
    struct pattern pattern = {0};
    struct pen pen = area_pen(area_part(whole, (struct rect){0, 0, 4, 1}), 0, 0);

    (void)state;
    assert_int_equal(canvas_text_columns(text, sizeof(text) - 1), 7);
    assert_int_equal(canvas_text_columns("e\u0301", 3), 1);
    pen_puts(&pen, ROLE_TEXT, text);
    assert_shows(&canvas, "Cafe\u0301\n");
    pen = area_pen(whole, 0, 0);
    pen_puts(&pen, ROLE_TEXT, "Cafe");
    pen_puts(&pen, ROLE_STRONG, text + 4);
    pen_puts(&pen, ROLE_TEXT, "!");
    assert_shows(&canvas, "Cafe\u0301 \u1112\u1161\u11ab!\n");
    pattern_set(&pattern, "e\u0301");
    area_mark(whole, &pattern, ROLE_MATCH);
    assert_int_equal(canvas_cell(&canvas, 3, 0)->ground, ROLE_MATCH);
    assert_int_equal(canvas_cell(&canvas, 4, 0)->ground, ROLE_TEXT);
    pen = area_pen(whole, 3, 0);
    pen_puts(&pen, ROLE_TEXT, "ee");
    pen = area_pen(whole, 6, 0);
    pen_puts(&pen, ROLE_TEXT, "-");
    assert_shows(&canvas, "Cafee -!\n");
    canvas_release(&canvas);
}

static void overwriting_half_a_wide_character_blanks_the_rest(void **state)
{
    struct canvas canvas = canvas_of(6, 1);
    struct area whole = canvas_area(&canvas, (struct rect){0, 0, 6, 1});
    struct pen pen = area_pen(whole, 0, 0);

    (void)state;
    pen_puts(&pen, ROLE_TEXT, "\u6c34\u6c34\u6c34");
    pen = area_pen(whole, 1, 0);
    pen_puts(&pen, ROLE_TEXT, "ab");
    assert_shows(&canvas, " ab \u6c34\n");
    canvas_release(&canvas);
}

static void hostile_text_is_visible_and_stays_inside(void **state)
{
    static const struct {
        const char *text;
        size_t len;
        const char *shown;
    } cases[] = {
        {"\033]52;c;eA==\a", 12, "<U+001B>"},
        {"a\nb\rc", 5, "a<U+000A"},
        {"\u202e!", 4, "<U+202E>"},
        {"a\0b", 3, "a<U+0000"},
        {"\xff\xc0-", 3, "\ufffd\ufffd-....."},
        {"=\u0338 ", 4, "=<U+0338"},
        {"a\u0301\u0302\u0303", 7, "a\u0301\u0302<U+0303"},
        {"\u0301", 2, "<U+0301>"},
        {"\u200b", 3, "<U+200B>"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct canvas canvas = {0};
        struct area area = inside_dots(&canvas);
        struct pen pen = area_pen(area, 0, 0);
        struct strbuf expected = {0};

        pen_put(&pen, ROLE_TEXT, cases[i].text, cases[i].len);
        strbuf_addf(&expected, "............\n..%s..\n............\n", cases[i].shown);
        assert_shows(&canvas, strbuf_cstr(&expected));
        strbuf_release(&expected);
        canvas_release(&canvas);
    }
}

static void hazards_differ_from_text_that_spells_them(void **state)
{
    struct canvas canvas = canvas_of(16, 1);
    struct pen pen = area_pen(canvas_area(&canvas, (struct rect){0, 0, 16, 1}), 0, 0);

    (void)state;
    pen_puts(&pen, ROLE_STRING, "<U+202E>\u202e");
    assert_int_equal(canvas_cell(&canvas, 0, 0)->role, ROLE_STRING);
    assert_int_equal(canvas_cell(&canvas, 8, 0)->role, ROLE_HAZARD);
    canvas_release(&canvas);
}

static void tabs_go_to_stops_from_the_origin(void **state)
{
    struct canvas canvas = canvas_of(12, 1);
    struct area whole = canvas_area(&canvas, (struct rect){0, 0, 12, 1});
    struct pen pen = area_pen(whole, 1, 0);

    (void)state;
    pen_puts(&pen, ROLE_TEXT, "a\tb\tc");
    assert_shows(&canvas, " a   b   c\n");
    assert_int_equal(canvas_text_columns("a\tb\tc", 5), 9);
    assert_int_equal(canvas_text_columns("12345678abc~ \x7f", 14), 13 + 8);
    assert_int_equal(canvas_text_columns("1234567\xc3\xa9 12345678", 18), 17);
    canvas_release(&canvas);
}

static void a_line_of_a_megabyte_fills_its_row(void **state)
{
    size_t len = 1 << 20;
    char *line = malloc(len);
    struct canvas canvas = {0};
    struct area area = inside_dots(&canvas);
    struct pen pen = area_pen(area, -(1 << 19), 0);

    (void)state;
    assert_non_null(line);
    memset(line, 'x', len);
    pen_put(&pen, ROLE_TEXT, line, len);
    assert_shows(&canvas, "............\n..xxxxxxxx..\n............\n");
    free(line);
    canvas_release(&canvas);
}

static void painting_keeps_the_text(void **state)
{
    struct canvas canvas = {0};
    struct area area = inside_dots(&canvas);

    (void)state;
    area_paint(area, ROLE_SELECTED);
    assert_shows(&canvas, "............\n............\n............\n");
    assert_int_equal(canvas_cell(&canvas, 2, 1)->ground, ROLE_SELECTED);
    assert_int_equal(canvas_cell(&canvas, 1, 1)->ground, ROLE_TEXT);
    canvas_release(&canvas);
}

static void a_box_too_small_draws_what_fits(void **state)
{
    (void)state;
    for (int w = 0; w < 5; w++) {
        for (int h = 0; h < 4; h++) {
            struct canvas canvas = canvas_of(6, 5);
            struct area area = canvas_area(&canvas, (struct rect){1, 1, w, h});
            struct area inside = area_box(area, "A long title", ROLE_BORDER);

            assert_true(inside.rect.w >= 0 && inside.rect.w <= w);
            for (int x = 0; x < 6; x++) {
                assert_int_equal(canvas_cell(&canvas, x, 0)->code, ' ');
                assert_int_equal(canvas_cell(&canvas, x, 4)->code, ' ');
            }
            canvas_release(&canvas);
        }
    }
}

static void an_ascii_locale_shows_code_points(void **state)
{
    struct canvas canvas = canvas_of(10, 1);
    struct pen pen = area_pen(canvas_area(&canvas, (struct rect){0, 0, 10, 1}), 0, 0);

    (void)state;
    setlocale(LC_ALL, "C");
    pen_puts(&pen, ROLE_TEXT, "\u00e9!");
    setlocale(LC_ALL, "C.UTF-8");
    assert_shows(&canvas, "<U+00E9>!\n");
    canvas_release(&canvas);
}

/* The ground or the line that shows what is bad is as wide as its words. */
static void what_is_bad_ends_with_its_words(void **state)
{
    static const enum role expected[] = {ROLE_TEXT, ROLE_BAD,  ROLE_BAD,  ROLE_BAD,
                                         ROLE_BAD,  ROLE_TEXT, ROLE_TEXT, ROLE_ADDED};
    struct canvas canvas = canvas_of(8, 1);
    struct pen pen = area_pen(canvas_area(&canvas, (struct rect){0, 0, 8, 1}), 0, 0);

    (void)state;
    pen_puts(&pen, ROLE_BAD, " no x  ");
    pen_puts(&pen, ROLE_ADDED, " ");
    for (int x = 0; x < 8; x++)
        assert_int_equal(canvas_cell(&canvas, x, 0)->role, expected[x]);
    canvas_release(&canvas);
}

static void dumps_escape_what_svg_reserves(void **state)
{
    struct canvas canvas = canvas_of(5, 1);
    struct theme theme = theme_builtin();
    struct pen pen = area_pen(canvas_area(&canvas, (struct rect){0, 0, 5, 1}), 0, 0);
    struct strbuf svg = {0}, ansi = {0};

    (void)state;
    pen_puts(&pen, ROLE_STRONG, "a<&b");
    screenshot_svg(&canvas, &theme, &svg);
    screenshot_ansi(&canvas, &theme, &ansi);
    assert_non_null(strstr(strbuf_cstr(&svg), "font-weight='bold'>a&lt;&amp;b</text>"));
    assert_string_equal(strbuf_cstr(&ansi), "\033[0;1ma<&b\033[0m \033[0m\n");
    strbuf_release(&svg);
    strbuf_release(&ansi);
    canvas_release(&canvas);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clips_at_the_edges),
        cmocka_unit_test(columns_are_cut_and_filled),
        cmocka_unit_test(a_long_name_loses_its_middle),
        cmocka_unit_test(blanks_stand_for_a_cut_wide_character),
        cmocka_unit_test(marks_share_the_cells_of_their_letter),
        cmocka_unit_test(overwriting_half_a_wide_character_blanks_the_rest),
        cmocka_unit_test(hostile_text_is_visible_and_stays_inside),
        cmocka_unit_test(hazards_differ_from_text_that_spells_them),
        cmocka_unit_test(tabs_go_to_stops_from_the_origin),
        cmocka_unit_test(a_line_of_a_megabyte_fills_its_row),
        cmocka_unit_test(painting_keeps_the_text),
        cmocka_unit_test(a_box_too_small_draws_what_fits),
        cmocka_unit_test(an_ascii_locale_shows_code_points),
        cmocka_unit_test(what_is_bad_ends_with_its_words),
        cmocka_unit_test(dumps_escape_what_svg_reserves),
    };

    setlocale(LC_ALL, "C.UTF-8");
    return cmocka_run_group_tests_name("canvas", tests, NULL, NULL);
}
