#include "tests/unit/unit.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "tests/golden/golden.h"
#include "tests/golden/story.h"
#include "tui/dump.h"
#include "tui/view.h"

struct picture {
    const char *name;
    const char *keys; /* pressed before it is taken, separated by blanks */
    enum story_stage stage;
    struct rect size;
    bool is_ascii;
};

static void press(struct view *view, struct scene *scene, const char *keys)
{
    while (*keys) {
        size_t len = strcspn(keys, " ");
        const struct keymap_row *row =
            keymap_find(key_parse(keys, len), view_contexts(view, scene));

        assert_non_null(row);
        assert_true(view_command(view, scene, row));
        keys += len;
        keys += strspn(keys, " ");
    }
}

static void draw(struct view *view, const struct scene *scene, const struct picture *picture,
                 struct canvas *canvas)
{
    canvas->is_ascii = picture->is_ascii;
    canvas_reset(canvas, picture->size.w, picture->size.h);
    view_draw(view, scene, canvas);
}

static void take(const struct picture *picture,
                 void (*dump)(const struct canvas *, struct strbuf *))
{
    struct story *story = story_new(picture->stage);
    struct view view;
    struct canvas canvas = {0};
    struct strbuf text = {0};

    if (picture->stage == STORY_STREAMING)
        story_say(story, "I load eight values at a time.\n\n```opencl\n__kernel void softm");
    view_open(&view);
    view.is_armed = true;
    draw(&view, story_scene(story), picture, &canvas); /* what scrolls knows its height */
    press(&view, story_scene(story), picture->keys);
    draw(&view, story_scene(story), picture, &canvas);
    dump(&canvas, &text);
    golden_compare(picture->name, &text);
    strbuf_release(&text);
    canvas_release(&canvas);
    view_release(&view);
    story_free(story);
}

static void dump_ansi_256(const struct canvas *canvas, struct strbuf *out)
{
    struct theme theme = theme_builtin();
    struct error err = {0};

    assert_int_equal(theme_load("dark", &theme, &err), STATUS_OK);
    dump_ansi(canvas, &theme, out);
}

static void dump_ansi_mono(const struct canvas *canvas, struct strbuf *out)
{
    struct theme theme = theme_builtin();

    dump_ansi(canvas, &theme, out);
}

static void a_step_waits_at_every_size(void **state)
{
    static const struct picture pictures[] = {
        {"view_keep_200x50.txt", "", STORY_KEEP, {0, 0, 200, 50}, false},
        {"view_keep_120x36.txt", "", STORY_KEEP, {0, 0, 120, 36}, false},
        {"view_keep_80x24.txt", "d", STORY_KEEP, {0, 0, 80, 24}, false},
        {"view_keep_60x16.txt", "", STORY_KEEP, {0, 0, 60, 16}, false},
        {"view_keep_40x8.txt", "", STORY_KEEP, {0, 0, 40, 8}, false},
        {"view_keep_20x4.txt", "", STORY_KEEP, {0, 0, 20, 4}, false},
        {"view_keep_120x36_ascii.txt", "", STORY_KEEP, {0, 0, 120, 36}, true},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(pictures) / sizeof(pictures[0]); i++)
        take(&pictures[i], dump_text);
}

static void panes_show_what_went_wrong(void **state)
{
    static const struct picture pictures[] = {
        {"view_build_failed.txt", "4", STORY_BUILD_FAILED, {0, 0, 120, 36}, false},
        {"view_diagnostic_line.txt", "4 j Enter", STORY_BUILD_FAILED, {0, 0, 80, 24}, false},
        {"view_wrong.txt", "5", STORY_WRONG, {0, 0, 80, 30}, false},
        {"view_streaming.txt", "7", STORY_STREAMING, {0, 0, 120, 36}, false},
        {"view_profile.txt", "6", STORY_KEEP, {0, 0, 80, 24}, false},
        {"view_first_attempt.txt", "2 k", STORY_KEEP, {0, 0, 120, 36}, false},
        {"view_help.txt", "?", STORY_KEEP, {0, 0, 120, 60}, false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(pictures) / sizeof(pictures[0]); i++)
        take(&pictures[i], dump_text);
}

static void colours_and_their_absence(void **state)
{
    static const struct picture colours = {
        "view_keep_256.ansi", "", STORY_KEEP, {0, 0, 120, 36}, false};
    static const struct picture mono = {
        "view_keep_mono.ansi", "", STORY_KEEP, {0, 0, 120, 36}, false};

    (void)state;
    take(&colours, dump_ansi_256);
    take(&mono, dump_ansi_mono);
}

static void hostile_streams_stay_in_their_pane(void **state)
{
    static const struct picture picture = {"", "", STORY_STREAMING, {0, 0, 120, 36}, false};
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
    struct view view;

    (void)state;
    view_open(&view);
    layout_focus_pane(&view.focus, PANE_AGENTS);
    story_say(story, "mild");
    draw(&view, story_scene(story), &picture, &plain);
    for (size_t i = 0; i < sizeof(hostile) / sizeof(hostile[0]); i++) {
        story_say(story, hostile[i]);
        draw(&view, story_scene(story), &picture, &attacked);
        for (int y = 0; y < 36; y++)
            for (int x = 0; x < 120; x++)
                if (x <= pane.x || x >= pane.x + pane.w - 1 || y <= pane.y)
                    assert_true(
                        cell_equals(canvas_cell(&plain, x, y), canvas_cell(&attacked, x, y)));
    }
    canvas_release(&plain);
    canvas_release(&attacked);
    view_release(&view);
    story_free(story);
}

/* Whatever the size, drawing stays on the canvas: the sanitizers watch. */
static void every_size_can_be_drawn(void **state)
{
    struct story *story = story_new(STORY_WRONG);
    struct canvas canvas = {0};
    struct view view;

    (void)state;
    view_open(&view);
    for (int i = 0; i < 200; i++) {
        struct picture picture = {.size = {.w = 1 + i * 37 % 211, .h = 1 + i * 23 % 61}};

        view.is_helping = i % 7 == 0;
        layout_focus_pane(&view.focus, (enum pane)(i % PANE_COUNT));
        draw(&view, story_scene(story), &picture, &canvas);
    }
    canvas_release(&canvas);
    view_release(&view);
    story_free(story);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_waits_at_every_size),
        cmocka_unit_test(panes_show_what_went_wrong),
        cmocka_unit_test(colours_and_their_absence),
        cmocka_unit_test(hostile_streams_stay_in_their_pane),
        cmocka_unit_test(every_size_can_be_drawn),
    };

    setlocale(LC_ALL, "C.UTF-8");
    setenv("KFORGE_ROOT", KFORGE_SOURCE_DIR, 1);
    return cmocka_run_group_tests_name("view", tests, NULL, NULL);
}
