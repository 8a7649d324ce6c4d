#include "tests/unit/unit.h"

#include <locale.h>
#include <string.h>

#include "tui/frame/time_bar.h"
#include "tui/term/screenshot.h"

enum { W = 60 };

static void open_shipped(struct timeline *timeline)
{
    struct error err = {0};

    assert_int_equal(timeline_open(timeline, "softmax_written", &err), STATUS_OK);
}

static void assert_marks(struct time_bar *bar, const struct timeline *timeline, int columns)
{
    struct canvas canvas = {0};
    struct strbuf text = {0};
    size_t failed = 0, kept = 0;

    canvas_reset(&canvas, columns, 1);
    time_bar_draw(bar, timeline, canvas_area(&canvas, (struct rect){0, 0, columns, 1}));
    screenshot_text(&canvas, &text);
    for (const char *at = strbuf_cstr(&text); *at; at++) {
        failed += *at == 'x';
        kept += *at == '*';
    }
    assert_int_equal(failed, 2);
    assert_int_equal(kept, 3);
    strbuf_release(&text);
    canvas_release(&canvas);
}

/* Two attempts failed, three were kept. The bar marks them all, wherever the timeline stands. */
static void it_marks_what_came_of_each_step(void **state)
{
    struct timeline timeline;
    struct time_bar bar = {0};
    struct error err;

    (void)state;
    open_shipped(&timeline);
    assert_marks(&bar, &timeline, W);
    assert_int_equal(timeline_seek(&timeline, SIZE_MAX, &err), STATUS_OK);
    assert_marks(&bar, &timeline, W);
    assert_marks(&bar, &timeline, W / 2 * 3);
    assert_marks(&bar, &timeline, W);
    time_bar_release(&bar);
    timeline_release(&timeline);
}

static void its_ends_are_the_first_and_the_last_event(void **state)
{
    struct timeline timeline;
    size_t before = 0;

    (void)state;
    open_shipped(&timeline);
    for (int x = 0; x < W; x++) {
        size_t place = time_bar_place(&timeline, x, W);

        assert_true(place >= before && place >= 1);
        before = place;
    }
    assert_int_equal(before, timeline.recording.events.count);
    assert_true(time_bar_place(&timeline, 1, W) < timeline.recording.events.count / 4);
    assert_int_equal(time_bar_place(&timeline, 1, 3), 1);
    timeline_release(&timeline);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_marks_what_came_of_each_step),
        cmocka_unit_test(its_ends_are_the_first_and_the_last_event),
    };

    setlocale(LC_ALL, "C.UTF-8");
    return cmocka_run_group_tests_name("time_bar", tests, NULL, NULL);
}
