#include "tests/unit/unit.h"

#include <locale.h>

#include "tests/golden/golden.h"
#include "tui/term/screenshot.h"
#include "tui/widgets/layout.h"

static void label(struct canvas *canvas, struct rect rect, const char *text)
{
    struct pen pen = area_pen(canvas_area(canvas, rect), 0, 0);

    pen_puts(&pen, ROLE_TEXT, text);
}

/* Draw every part of the layout with its label, as text. */
static void draw(struct canvas *canvas, int w, int h, const struct layout_focus *focus)
{
    struct layout layout = layout_of(w, h, focus);

    canvas_reset(canvas, w, h);
    label(canvas, layout.header, "header");
    label(canvas, layout.bar, "bar");
    label(canvas, layout.message, "message");
    label(canvas, layout.status, "status");
    layout_draw_tabs(&layout, canvas, focus);
    for (enum pane pane = 0; pane < PANE_COUNT; pane++) {
        struct area inside =
            layout_open_pane(&layout, canvas, pane, ROLE_BORDER, layout_pane_name(pane));

        label(canvas, inside.rect, layout_pane_name(pane));
    }
}

static void compare(const char *name, struct rect size, bool is_ascii,
                    const struct layout_focus *focus)
{
    struct canvas canvas = {.is_ascii = is_ascii};
    struct strbuf text = {0};

    draw(&canvas, size.w, size.h, focus);
    screenshot_text(&canvas, &text);
    golden_compare(name, &text);
    strbuf_release(&text);
    canvas_release(&canvas);
}

static void fits_every_size(void **state)
{
    static const struct {
        const char *name;
        struct rect size;
    } sizes[] = {
        {"layout_200x50.txt", {0, 0, 200, 50}}, {"layout_120x36.txt", {0, 0, 120, 36}},
        {"layout_80x24.txt", {0, 0, 80, 24}},   {"layout_60x16.txt", {0, 0, 60, 16}},
        {"layout_40x8.txt", {0, 0, 40, 8}},     {"layout_20x4.txt", {0, 0, 20, 4}},
        {"layout_255x20.txt", {0, 0, 255, 20}},
    };
    struct layout_focus focus = {.pane = PANE_KERNEL, .middle = PANE_KERNEL};

    (void)state;
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
        compare(sizes[i].name, sizes[i].size, false, &focus);
}

static void draws_in_ascii(void **state)
{
    struct layout_focus focus = {.pane = PANE_KERNEL, .middle = PANE_KERNEL};

    (void)state;
    compare("layout_120x36_ascii.txt", (struct rect){0, 0, 120, 36}, true, &focus);
}

static void agents_take_the_middle_column(void **state)
{
    struct layout_focus focus = {.pane = PANE_KERNEL, .middle = PANE_KERNEL};
    struct layout layout;

    (void)state;
    layout_focus_pane(&focus, PANE_AGENTS);
    layout_focus_pane(&focus, PANE_PROFILE);
    layout = layout_of(120, 36, &focus);
    assert_true(layout.panes[PANE_AGENTS].w > 0);
    assert_int_equal(layout.panes[PANE_KERNEL].w, 0);
}

static void full_leaves_one_pane(void **state)
{
    struct layout_focus focus = {.pane = PANE_PROFILE, .is_full = true};
    struct layout layout = layout_of(200, 50, &focus);

    (void)state;
    for (enum pane pane = 0; pane < PANE_COUNT; pane++)
        assert_int_equal(layout.panes[pane].w, pane == PANE_PROFILE ? 200 : 0);
}

/* Each cell belongs to at most one part, at any size. */
static void nothing_overlaps(void **state)
{
    (void)state;
    for (int w = 1; w < 210; w += 7) {
        for (int h = 1; h < 60; h += 3) {
            struct layout_focus focus = {.pane = PANE_STEPS, .middle = PANE_KERNEL};
            struct layout layout = layout_of(w, h, &focus);
            int cells = layout.header.w * layout.header.h + layout.tabs.w * layout.tabs.h +
                        layout.bar.w * layout.bar.h + layout.message.w * layout.message.h +
                        layout.status.w * layout.status.h;

            for (enum pane pane = 0; pane < PANE_COUNT; pane++)
                cells += layout.panes[pane].w * layout.panes[pane].h;
            assert_int_equal(cells, layout.kind == LAYOUT_LINE ? w : w * h);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fits_every_size),      cmocka_unit_test(draws_in_ascii),
        cmocka_unit_test(nothing_overlaps),     cmocka_unit_test(agents_take_the_middle_column),
        cmocka_unit_test(full_leaves_one_pane),
    };

    setlocale(LC_ALL, "C.UTF-8");
    return cmocka_run_group_tests_name("layout", tests, NULL, NULL);
}
