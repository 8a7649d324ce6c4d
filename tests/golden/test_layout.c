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
    struct layout_focus focus = {.pane = PANE_KERNEL};

    (void)state;
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
        compare(sizes[i].name, sizes[i].size, false, &focus);
}

static void draws_in_ascii(void **state)
{
    struct layout_focus focus = {.pane = PANE_KERNEL};

    (void)state;
    compare("layout_120x36_ascii.txt", (struct rect){0, 0, 120, 36}, true, &focus);
}

/* The panes of every scene at each size that shows several, as one golden file. */
static void every_scene_has_its_panes(void **state)
{
    static const struct rect sizes[] = {{0, 0, 120, 36}, {0, 0, 200, 60}, {0, 0, 255, 20}};
    struct strbuf text = {0};

    (void)state;
    for (enum scene scene = SCENE_NONE + 1; scene < SCENE_COUNT; scene++) {
        for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
            struct layout_focus focus = {.pane = scene_subject(scene), .scene = scene};
            struct layout layout = layout_of(sizes[i].w, sizes[i].h, &focus);

            strbuf_addf(&text, "%s %dx%d\n", scene_name(scene), sizes[i].w, sizes[i].h);
            for (enum pane pane = 0; pane < PANE_COUNT; pane++)
                if (layout.panes[pane].w)
                    strbuf_addf(&text, "  %-12s %3dx%d at %d,%d\n", layout_pane_name(pane),
                                layout.panes[pane].w, layout.panes[pane].h, layout.panes[pane].x,
                                layout.panes[pane].y);
        }
    }
    golden_compare("layout_scenes.txt", &text);
    strbuf_release(&text);
}

static int columns_of(const struct layout_focus *focus, enum pane pane)
{
    return layout_of(120, 36, focus).panes[pane].w;
}

/* A pane that the scene leaves out stays from when it gets the focus until the scene changes. */
static void a_pane_joins_a_scene_without_it(void **state)
{
    struct layout_focus focus = {.pane = PANE_KERNEL, .scene = SCENE_KEEP};

    (void)state;
    assert_int_equal(columns_of(&focus, PANE_AGENTS), 0);
    layout_focus_pane(&focus, PANE_AGENTS);
    layout_focus_pane(&focus, PANE_PROFILE);
    assert_true(columns_of(&focus, PANE_AGENTS) > 0);
    layout_focus_pane(&focus, PANE_DIAGNOSTICS);
    assert_true(columns_of(&focus, PANE_DIAGNOSTICS) > 0);
    assert_int_equal(columns_of(&focus, PANE_AGENTS), 0);
    layout_set_scene(&focus, SCENE_ADVICE);
    assert_true(columns_of(&focus, PANE_DIAGNOSTICS) > 0);
    layout_focus_pane(&focus, PANE_PROFILE);
    assert_true(columns_of(&focus, PANE_DIAGNOSTICS) > 0);
    layout_set_scene(&focus, SCENE_KEEP);
    assert_int_equal(columns_of(&focus, PANE_DIAGNOSTICS), 0);
}

static void a_pinned_scene_stays(void **state)
{
    struct layout_focus focus = {.pane = PANE_PROFILE, .pinned = SCENE_PROFILE};

    (void)state;
    for (enum scene scene = SCENE_NONE; scene < SCENE_COUNT; scene++) {
        layout_set_scene(&focus, scene);
        assert_int_equal(layout_scene(&focus), SCENE_PROFILE);
    }
    focus.pinned = SCENE_NONE;
    assert_int_equal(layout_scene(&focus), SCENE_COUNT - 1);
}

static void full_leaves_one_pane(void **state)
{
    struct layout_focus focus = {.pane = PANE_PROFILE, .is_full = true};
    struct layout layout = layout_of(200, 50, &focus);

    (void)state;
    for (enum pane pane = 0; pane < PANE_COUNT; pane++)
        assert_int_equal(layout.panes[pane].w, pane == PANE_PROFILE ? 200 : 0);
}

static void assert_no_overlap(int w, int h, const struct layout_focus *focus)
{
    struct layout layout = layout_of(w, h, focus);
    int cells = layout.header.w * layout.header.h + layout.tabs.w * layout.tabs.h +
                layout.bar.w * layout.bar.h + layout.message.w * layout.message.h +
                layout.status.w * layout.status.h;

    for (enum pane pane = 0; pane < PANE_COUNT; pane++)
        cells += layout.panes[pane].w * layout.panes[pane].h;
    assert_int_equal(cells, layout.kind == LAYOUT_LINE ? w : w * h);
    assert_true(layout.kind == LAYOUT_LINE || layout.panes[focus->pane].w > 0);
}

/* Each cell belongs to exactly one part, and the focus is visible, at any size, in any scene. */
static void nothing_overlaps(void **state)
{
    (void)state;
    for (int w = 1; w < 260; w += 7)
        for (int h = 1; h < 65; h += 3)
            for (int i = 0; i < SCENE_COUNT * PANE_COUNT; i++) {
                const struct layout_focus focus = {.pane = (enum pane)(i % PANE_COUNT),
                                                   .scene = (enum scene)(i / PANE_COUNT),
                                                   .guest = (enum pane)((i + h) % PANE_COUNT)};

                assert_no_overlap(w, h, &focus);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fits_every_size),
        cmocka_unit_test(draws_in_ascii),
        cmocka_unit_test(nothing_overlaps),
        cmocka_unit_test(every_scene_has_its_panes),
        cmocka_unit_test(a_pane_joins_a_scene_without_it),
        cmocka_unit_test(a_pinned_scene_stays),
        cmocka_unit_test(full_leaves_one_pane),
    };

    setlocale(LC_ALL, "C.UTF-8");
    return cmocka_run_group_tests_name("layout", tests, NULL, NULL);
}
