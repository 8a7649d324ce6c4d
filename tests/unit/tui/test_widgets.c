#include "tests/unit/unit.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "tui/term/screenshot.h"
#include "tui/widgets/message.h"
#include "tui/widgets/page.h"
#include "tui/widgets/widget_list.h"
#include "tui/widgets/widget_text.h"

static void put_number(const void *data, size_t row, struct pen *pen)
{
    (void)data;
    pen_putf(pen, ROLE_TEXT, "row %zu", row);
}

/* The list gets as many lines as are expected. */
static void assert_list(struct widget_list *list, size_t count, const char *expected)
{
    struct widget_rows rows = {.count = count, .put = put_number};
    struct canvas canvas = {0};
    struct strbuf text = {0};
    int h = 0;

    for (const char *end = expected; *end; end++)
        h += *end == '\n';
    canvas_reset(&canvas, 8, h);
    widget_list_draw(list, &rows, canvas_area(&canvas, (struct rect){0, 0, 8, h}));
    screenshot_text(&canvas, &text);
    assert_string_equal(strbuf_cstr(&text), expected);
    for (int y = 0; y < h && count; y++)
        assert_int_equal(canvas_cell(&canvas, 0, y)->ground == ROLE_SELECTED,
                         list->top + (size_t)y == list->selected);
    strbuf_release(&text);
    canvas_release(&canvas);
}

static void a_list_keeps_the_selected_row_in_sight(void **state)
{
    struct widget_list list = {0};

    (void)state;
    assert_list(&list, 0, "\n\n\n");
    assert_list(&list, 9, "row 0\nrow 1\nrow 2\n");
    assert_true(widget_list_move(&list, COMMAND_BOTTOM, 9));
    assert_list(&list, 9, "row 6\nrow 7\nrow 8\n");
    assert_true(widget_list_move(&list, COMMAND_HALF_UP, 9));
    assert_list(&list, 9, "row 6\nrow 7\nrow 8\n");
    assert_true(widget_list_move(&list, COMMAND_TOP, 9));
    assert_true(widget_list_move(&list, COMMAND_UP, 9));
    assert_list(&list, 9, "row 0\nrow 1\nrow 2\n");
    assert_false(widget_list_move(&list, COMMAND_HELP, 9));
}

/* A jump, as after sorting, shows the rows on both sides of the selected one. */
static void a_list_that_jumps_shows_what_is_around(void **state)
{
    struct widget_list list = {0};

    (void)state;
    assert_list(&list, 99, "row 0\nrow 1\nrow 2\n");
    list.selected = 50;
    assert_list(&list, 99, "row 49\nrow 50\nrow 51\n");
    list.selected = 1;
    assert_list(&list, 99, "row 0\nrow 1\nrow 2\n");
    list.selected = 98;
    assert_list(&list, 99, "row 96\nrow 97\nrow 98\n");
}

/* The lower border of the box says how many rows follow: all, or those that the filter passes. */
static void a_list_says_how_many_rows_follow(void **state)
{
    const struct widget_rows rows = {.count = 40, .put = put_number};
    const char *const filters[] = {"", "3", "39"}, *const rest[] = {"\n   38 more\n",
                                                                    "   11 more\n", "39\n\n\n"};
    struct widget_list list = {0};

    (void)state;
    for (size_t i = 0; i < COUNT(filters); i++) {
        struct canvas canvas = {0};
        struct strbuf shown = {0};

        pattern_set(&list.filter, filters[i]);
        canvas_reset(&canvas, 12, 3);
        widget_list_draw(&list, &rows, canvas_area(&canvas, (struct rect){0, 0, 12, 2}));
        widget_list_draw_rest(&list, rows.count, ROLE_DIM,
                              canvas_area(&canvas, (struct rect){0, 0, 12, 3}));
        screenshot_text(&canvas, &shown);
        if (!strstr(strbuf_cstr(&shown), rest[i]))
            fail_msg("%s", strbuf_cstr(&shown));
        strbuf_release(&shown);
        canvas_release(&canvas);
    }
    widget_list_release(&list);
}

/* Rows that the filter hides are not found. */
static void a_search_stays_among_the_rows_that_pass(void **state)
{
    const struct widget_rows rows = {.count = 40, .put = put_number};
    struct widget_list list = {0};
    struct pattern pattern = {0};
    struct canvas canvas = {0};
    struct strbuf shown = {0};

    (void)state;
    pattern_set(&list.filter, "3");
    pattern_set(&pattern, "row");
    canvas_reset(&canvas, 8, 3);
    widget_list_draw(&list, &rows, canvas_area(&canvas, (struct rect){0, 0, 8, 3}));
    assert_int_equal(list.selected, 3);
    assert_true(widget_list_find(&list, &rows, &pattern, 1));
    assert_int_equal(list.selected, 13);
    assert_true(widget_list_find(&list, &rows, &pattern, -1));
    assert_true(widget_list_find(&list, &rows, &pattern, -1));
    assert_int_equal(list.selected, 39);
    pattern_set(&pattern, "12");
    assert_false(widget_list_find(&list, &rows, &pattern, 1));
    pattern_set(&list.filter, "x");
    assert_list(&list, 0, "\n");
    canvas_reset(&canvas, 30, 1);
    widget_list_draw(&list, &rows, canvas_area(&canvas, (struct rect){0, 0, 30, 1}));
    screenshot_text(&canvas, &shown);
    assert_string_equal(strbuf_cstr(&shown), "Nothing matches \"x\".\n");
    strbuf_release(&shown);
    canvas_release(&canvas);
    widget_list_release(&list);
}

static void a_list_that_gets_room_shows_its_first_rows_again(void **state)
{
    struct widget_list list = {0};

    (void)state;
    assert_list(&list, 4, "row 0\nrow 1\n");
    assert_true(widget_list_move(&list, COMMAND_BOTTOM, 4));
    assert_list(&list, 4, "row 2\nrow 3\n");
    assert_list(&list, 4, "row 1\nrow 2\nrow 3\n");
    assert_list(&list, 4, "row 0\nrow 1\nrow 2\nrow 3\n\n");
}

static void a_list_that_shrinks_selects_its_last_row(void **state)
{
    struct widget_list list = {0};

    (void)state;
    assert_list(&list, 9, "row 0\nrow 1\nrow 2\n");
    widget_list_move(&list, COMMAND_BOTTOM, 9);
    assert_list(&list, 2, "row 0\nrow 1\n\n");
}

static void assert_text(struct widget_text *text, const char *expected)
{
    struct canvas canvas = {0};
    struct strbuf shown = {0};

    canvas_reset(&canvas, 10, 3);
    widget_text_draw(text, canvas_area(&canvas, (struct rect){0, 0, 10, 3}));
    screenshot_text(&canvas, &shown);
    assert_string_equal(strbuf_cstr(&shown), expected);
    strbuf_release(&shown);
    canvas_release(&canvas);
}

static void text_scrolls_both_ways_beside_its_numbers(void **state)
{
    static const char source[] = "a\nb\nc\n0123456789abcdef\n\nz";
    struct widget_text text = {0};

    (void)state;
    widget_text_add_code(&text, lexer_language("opencl-c"), source, strlen(source));
    assert_text(&text, "1 a\n2 b\n3 c\n");
    widget_text_scroll(&text, COMMAND_DOWN);
    widget_text_scroll(&text, COMMAND_RIGHT);
    assert_text(&text, "2\n3\n4 89abcdef\n");
    widget_text_scroll(&text, COMMAND_LEFT);
    widget_text_scroll(&text, COMMAND_BOTTOM);
    assert_text(&text, "4 01234567\n5\n6 z\n");
    widget_text_release(&text);
}

/* A text that fits is shown from its beginning, whatever the one before it was scrolled to. */
static void text_scrolls_to_the_end_of_its_longest_line(void **state)
{
    struct widget_text text = {0}, beside = {0};

    (void)state;
    widget_text_add_wrapped(&text, "0123456789abcdef", 16, 80);
    widget_text_scroll(&text, COMMAND_RIGHT);
    widget_text_scroll(&text, COMMAND_RIGHT);
    assert_text(&text, "6789abcdef\n\n\n");
    text.beside = &beside;
    widget_text_add_wrapped(&beside, "0123456789abcdefgh", 18, 80);
    widget_text_scroll(&text, COMMAND_RIGHT);
    assert_text(&text, "89abcdef\n\n\n");
    text.beside = NULL;
    widget_text_clear(&text);
    widget_text_add_wrapped(&text, "short", 5, 80);
    assert_text(&text, "short\n\n\n");
    widget_text_release(&text);
    widget_text_release(&beside);
}

static void text_that_is_followed_stays_at_its_end(void **state)
{
    struct widget_text text = {.is_following = true};

    (void)state;
    widget_text_add_wrapped(&text, "1\n2\n3\n4", 7, 80);
    assert_text(&text, "2\n3\n4\n");
    widget_text_add_wrapped(&text, "5", 1, 80);
    assert_text(&text, "3\n4\n5\n");
    widget_text_scroll(&text, COMMAND_UP);
    widget_text_add_wrapped(&text, "6", 1, 80);
    assert_text(&text, "2\n3\n4\n");
    widget_text_release(&text);
}

static void text_wraps_at_blanks(void **state)
{
    static const char prose[] = "one two three\n\nabcdefghijklm";
    static const char accents[] = "e\u0301e\u0301e\u0301e\u0301e\u0301";
    struct widget_text text = {0};

    (void)state;
    widget_text_add_wrapped(&text, prose, strlen(prose), 10);
    assert_int_equal(text.lines.count, 5);
    assert_text(&text, "one two\nthree\n\n");
    widget_text_scroll(&text, COMMAND_BOTTOM);
    assert_text(&text, "\nabcdefghij\nklm\n");
    widget_text_clear(&text);
    widget_text_add_wrapped(&text, accents, strlen(accents), 4);
    assert_text(&text, "e\u0301e\u0301e\u0301e\u0301\ne\u0301\n\n");
    widget_text_release(&text);
}

/* A page that grows must look like the same text written at once, for any cut. */
static void assert_grown(struct page *page, const char *text, size_t len, int columns)
{
    const struct strbuf so_far = {.data = (char *)(uintptr_t)text, .len = len};
    struct strbuf shown = {0}, wanted = {0};
    struct widget_text whole = {0};

    widget_text_add_wrapped(&whole, text, len, columns);
    widget_text_add_text(&whole, &wanted);
    page_grow(page, &so_far, columns);
    for (size_t i = 0; i < page->lines.count; i++)
        strbuf_addf(&shown, "%.*s\n", (int)page->lines.items[i].len,
                    page->text.data + page->lines.items[i].start);
    assert_string_equal(strbuf_cstr(&shown), strbuf_cstr(&wanted));
    strbuf_release(&shown);
    strbuf_release(&wanted);
    widget_text_release(&whole);
}

static void a_named_text_is_broken_beside_its_name(void **state)
{
    struct page page = {0};

    (void)state;
    page_add_named(&page, ROLE_TEXT, "evidence", "time = 2 ms; bound = 1 ms",
                   (struct page_room){10, 26});
    page_add_named(&page, ROLE_TEXT, "a longer name", "one two three four five",
                   (struct page_room){10, 30});
    page_add_named(&page, ROLE_TEXT, "tags", "no room beside it", (struct page_room){10, 20});
    assert_string_equal(strbuf_cstr(&page.text), "evidence  time = 2 ms; "
                                                 "          bound = 1 ms"
                                                 "a longer name one two three "
                                                 "              four five"
                                                 "tags no room beside "
                                                 "it");
    page_release(&page);
}

static void a_page_grows_with_its_text(void **state)
{
    static const char prose[] = "one two three four\n\nfive six seven\neight nine ten eleven\n\n";
    struct page page = {0};

    (void)state;
    for (size_t len = 0; len < sizeof(prose); len++)
        assert_grown(&page, prose, len, 10);
    assert_grown(&page, prose, sizeof(prose) - 1, 7);
    assert_grown(&page, "another", 7, 7);
    page_clear(&page);
    page_add(&page, ROLE_TEXT, "an");
    assert_grown(&page, "another", 7, 7);
    page_release(&page);
}

static void marks_stand_before_the_text(void **state)
{
    struct widget_text text = {.has_marks = true};

    (void)state;
    widget_text_add_code(&text, lexer_language("c"), "a\nb", 3);
    text.lines.items[1].mark = '+';
    text.lines.items[1].flag = 'E';
    text.lines.items[1].ground = ROLE_ADDED;
    assert_text(&text, "1    a\n2 +E b\n\n");
    widget_text_release(&text);
}

/* The end of a message is often the remedy: where it is cut, the line says where to read it. */
static void a_cut_message_names_the_command_that_shows_it(void **state)
{
    struct message_log log = {0};
    struct canvas canvas = {0};
    struct strbuf text = {0};

    (void)state;
    message_add(&log, ROLE_TEXT, strdup("each save is judged: k.cl"));
    for (int w = 30; w >= 20; w -= 10) {
        canvas_reset(&canvas, w, 1);
        message_draw(&log, canvas_area(&canvas, (struct rect){0, 0, w, 1}));
        screenshot_text(&canvas, &text);
    }
    assert_string_equal(strbuf_cstr(&text), " each save is judged: k.cl\n each s... :messages\n");
    strbuf_release(&text);
    canvas_release(&canvas);
    message_release(&log);
}

static void wrapped_lines_are_one_line_when_copied(void **state)
{
    static const char source[] = "0123456789abc\nx\n";
    struct widget_text text = {0};
    struct strbuf copied = {0};

    (void)state;
    widget_text_add_code(&text, lexer_language("c"), source, strlen(source));
    widget_text_wrap(&text, 10);
    assert_text(&text, "1 01234567\n  89abc\n2 x\n");
    widget_text_add_text(&text, &copied);
    assert_string_equal(strbuf_cstr(&copied), source);
    strbuf_release(&copied);
    widget_text_release(&text);
}

/* A run of changed lines is one place; a place stays marked until the text is scrolled. */
static void places_are_gone_to_round_the_end(void **state)
{
    static const struct text_line lines[] = {
        {.text = "a", .len = 1},
        {.text = "b", .len = 1, .mark = '+'},
        {.text = "c", .len = 1, .mark = '+'},
        {.text = "d", .len = 1},
        {.text = "e", .len = 1, .is_place = true},
        {.text = "f", .len = 1, .is_heading = true},
    };
    static const struct {
        enum screen_command command;
        size_t line;
    } moves[] = {
        {COMMAND_NEXT_PLACE, 1},     {COMMAND_NEXT_PLACE, 4}, {COMMAND_NEXT_PLACE, 1},
        {COMMAND_PREVIOUS_PLACE, 4}, {COMMAND_SECTION, 5},    {COMMAND_SECTION, 5},
    };
    struct widget_text text = {0};

    (void)state;
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
        widget_text_add_line(&text, &lines[i]);
    assert_text(&text, "a\nb\nc\n");
    for (size_t i = 0; i < sizeof(moves) / sizeof(moves[0]); i++) {
        assert_true(widget_text_scroll(&text, moves[i].command));
        assert_true(text.has_cursor);
        assert_int_equal(text.found, moves[i].line);
    }
    assert_true(widget_text_scroll(&text, COMMAND_UP));
    assert_false(text.has_cursor);
    widget_text_release(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_list_keeps_the_selected_row_in_sight),
        cmocka_unit_test(a_list_that_jumps_shows_what_is_around),
        cmocka_unit_test(a_list_says_how_many_rows_follow),
        cmocka_unit_test(a_search_stays_among_the_rows_that_pass),
        cmocka_unit_test(a_list_that_gets_room_shows_its_first_rows_again),
        cmocka_unit_test(a_list_that_shrinks_selects_its_last_row),
        cmocka_unit_test(text_scrolls_both_ways_beside_its_numbers),
        cmocka_unit_test(text_scrolls_to_the_end_of_its_longest_line),
        cmocka_unit_test(text_that_is_followed_stays_at_its_end),
        cmocka_unit_test(text_wraps_at_blanks),
        cmocka_unit_test(a_named_text_is_broken_beside_its_name),
        cmocka_unit_test(a_page_grows_with_its_text),
        cmocka_unit_test(marks_stand_before_the_text),
        cmocka_unit_test(a_cut_message_names_the_command_that_shows_it),
        cmocka_unit_test(wrapped_lines_are_one_line_when_copied),
        cmocka_unit_test(places_are_gone_to_round_the_end),
    };

    setlocale(LC_ALL, "C.UTF-8");
    return cmocka_run_group_tests_name("widgets", tests, NULL, NULL);
}
