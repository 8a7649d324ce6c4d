#include "tests/unit/unit.h"

#include <string.h>

#include "tui/frame/hints.h"

static const struct hint hints[] = {
    {"play", NULL, .rank = 2},        {"previous-step", "", .rank = 3},
    {"next-step", "step", .rank = 3}, {"messages", "log", .rank = 1},
    {"quit", "back", .rank = 0},
};

enum { HINTS = sizeof(hints) / sizeof(hints[0]) };

struct line {
    struct keymap keymap;
    struct canvas canvas;
};

static void draw(struct line *line, int columns)
{
    canvas_reset(&line->canvas, columns, 2);
    hints_draw(&line->keymap, hints, HINTS,
               canvas_area(&line->canvas, (struct rect){0, 1, columns, 1}));
}

static int setup(void **state)
{
    static struct line line;

    line = (struct line){0};
    keymap_fill(&line.keymap);
    *state = &line;
    return 0;
}

static int teardown(void **state)
{
    struct line *line = *state;

    keymap_release(&line->keymap);
    canvas_release(&line->canvas);
    return 0;
}

/* The text of the lower line, without the blanks at its end. */
static const char *text_of(const struct line *line)
{
    static char text[200];
    size_t len = 0;

    for (int x = 0; x < line->canvas.w; x++) {
        text[x] = (char)canvas_cell(&line->canvas, x, 1)->code;
        len = text[x] == ' ' ? len : (size_t)x + 1;
    }
    text[len] = '\0';
    return text;
}

static void the_least_important_go_first_and_whole(void **state)
{
    struct line *line = *state;

    draw(line, 80);
    assert_string_equal(text_of(line), " Space play  Left Right step  :messages log  q back");
    draw(line, 51);
    assert_string_equal(text_of(line), " Space play  Left Right step  :messages log  q back");
    draw(line, 50);
    assert_string_equal(text_of(line), " Space play  :messages log  q back");
    draw(line, 33);
    assert_string_equal(text_of(line), " :messages log  q back");
    draw(line, 20);
    assert_string_equal(text_of(line), " q back");
    draw(line, 3);
    assert_string_equal(text_of(line), "");
}

static void a_press_finds_the_row_of_a_hint(void **state)
{
    struct line *line = *state;
    const char *text;

    draw(line, 80);
    text = text_of(line);
    assert_ptr_equal(hints_row_at(&line->canvas, 1, 1), keymap_row_named("play"));
    assert_ptr_equal(hints_row_at(&line->canvas, (int)(strstr(text, "Left") - text), 1),
                     keymap_row_named("previous-step"));
    assert_ptr_equal(hints_row_at(&line->canvas, (int)(strstr(text, "step") - text), 1),
                     keymap_row_named("next-step"));
    assert_ptr_equal(hints_row_at(&line->canvas, (int)(strstr(text, "back") - text) + 3, 1),
                     keymap_row_named("quit"));
    assert_null(hints_row_at(&line->canvas, 0, 1));
    assert_null(hints_row_at(&line->canvas, 1, 0));
    draw(line, 20); /* no link of the frame before is left */
    assert_null(hints_row_at(&line->canvas, 12, 1));
    area_clear(canvas_area(&line->canvas, (struct rect){0, 0, 20, 2}), ROLE_TEXT);
    assert_null(hints_row_at(&line->canvas, 1, 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_least_important_go_first_and_whole, setup, teardown),
        cmocka_unit_test_setup_teardown(a_press_finds_the_row_of_a_hint, setup, teardown),
    };

    return cmocka_run_group_tests_name("hints", tests, NULL, NULL);
}
