#include "tests/unit/unit.h"

#include <locale.h>
#include <string.h>

#include "core/base/vec.h"
#include "tests/golden/story.h"
#include "tui/dump.h"
#include "tui/panes.h"
#include "tui/view.h"

static void draw(struct panes *panes, const struct scene *scene, struct rect size,
                 struct canvas *canvas)
{
    struct layout layout = layout_of(size.w, size.h, &panes->focus);

    canvas_reset(canvas, size.w, size.h);
    assert_int_equal(panes_draw(panes, scene, &(struct pattern){0}, &layout, canvas),
                     layout.kind != LAYOUT_LINE);
}

static void hostile_streams_stay_in_their_pane(void **state)
{
    static const struct rect size = {.w = 120, .h = 36};
    static const char *const hostile[] = {
        "\033[2J\033]52;c;aGVsbG8=\a\033c",
        "\u202e\u2066 reversed",
        "\xff\xfe\xc0\x80",
        "\u6c34\u6c34\u6c34\u6c34",
    };
    struct story *story = story_new(STORY_STREAMING);
    struct canvas plain = {0}, attacked = {0};
    struct layout_focus focus = {.pane = PANE_AGENTS, .middle = PANE_AGENTS};
    struct rect pane = layout_of(120, 36, &focus).panes[PANE_AGENTS];
    struct panes panes;

    (void)state;
    panes_open(&panes);
    layout_focus_pane(&panes.focus, PANE_AGENTS);
    story_say(story, "mild");
    draw(&panes, story_scene(story), size, &plain);
    for (size_t i = 0; i < sizeof(hostile) / sizeof(hostile[0]); i++) {
        story_say(story, hostile[i]);
        draw(&panes, story_scene(story), size, &attacked);
        for (int y = 0; y < 36; y++)
            for (int x = 0; x < 120; x++)
                if (x <= pane.x || x >= pane.x + pane.w - 1 || y <= pane.y)
                    assert_true(
                        cell_equals(canvas_cell(&plain, x, y), canvas_cell(&attacked, x, y)));
    }
    canvas_release(&plain);
    canvas_release(&attacked);
    panes_release(&panes);
    story_free(story);
}

/* Whatever the size, drawing stays on the canvas: the sanitizers watch. */
static void every_size_can_be_drawn(void **state)
{
    struct story *story = story_new(STORY_WRONG);
    struct canvas canvas = {0};
    struct panes panes;
    struct view view;

    (void)state;
    panes_open(&panes);
    view_open(&view);
    for (int i = 0; i < 200; i++) {
        struct rect size = {.w = 1 + i * 37 % 211, .h = 1 + i * 23 % 61};

        overlay_open(&view.overlay, (enum overlay_kind)(i % 7 % (OVERLAY_ABOUT + 1)));
        layout_focus_pane(&panes.focus, (enum pane)(i % PANE_COUNT));
        draw(&panes, story_scene(story), size, &canvas);
        view_draw(&view, &canvas, (struct rect){0, size.h - 1, size.w, 1});
    }
    canvas_release(&canvas);
    panes_release(&panes);
    view_release(&view);
    story_free(story);
}

/* However many candidates there are, the line ends with the best time. */
static void a_long_search_fits_the_sparkline(void **state)
{
    struct story *story = story_new(STORY_KEEP);
    struct session *session = story_session(story);
    struct canvas canvas = {0};
    struct strbuf text = {0};
    struct panes panes;

    (void)state;
    for (unsigned i = (unsigned)session->attempts.count + 1; i <= 1000; i++) {
        struct attempt attempt = {.number = i, .is_kept = true, .time = {.median_us = 20000.0 / i}};

        vec_push(&session->attempts, attempt);
    }
    session->now.best = 1000;
    panes_open(&panes);
    draw(&panes, story_scene(story), (struct rect){.w = 120, .h = 36}, &canvas);
    dump_text(&canvas, &text);
    assert_non_null(strstr(strbuf_cstr(&text), " 20.0 us"));
    strbuf_release(&text);
    canvas_release(&canvas);
    panes_release(&panes);
    story_free(story);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hostile_streams_stay_in_their_pane),
        cmocka_unit_test(every_size_can_be_drawn),
        cmocka_unit_test(a_long_search_fits_the_sparkline),
    };

    setlocale(LC_ALL, "C.UTF-8");
    return cmocka_run_group_tests_name("view", tests, NULL, NULL);
}
