#include "tests/unit/unit.h"

#include <string.h>

#include "tests/golden/sample_session.h"
#include "tui/panels/profile/roofline_plot.h"
#include "tui/term/screenshot.h"

/* A name is written as a whole, or without room not at all. */
static void assert_whole(const char *screen, const char *name, const char *begin, const char *end)
{
    if ((strstr(screen, begin) || strstr(screen, end)) && !strstr(screen, name))
        fail_msg("the name of a roof is cut:\n%s", screen);
}

/* Nothing covers the names of the roofs, wherever the attempts are; a wide plot has more names. */
static void the_attempts_leave_the_names_of_roofs(void **state)
{
    struct sample_session *sample = sample_session_new(SAMPLE_KEEP);
    struct view_model *view_model = sample_session_scene(sample);
    struct bound *bound = &view_model->shown.verdict.bound;
    const double flops = bound->flops;
    struct canvas canvas = {0};
    struct strbuf screen = {0};

    (void)state;
    for (int w = 34; w <= 54; w += 4)
        for (int eighths = 2; eighths < 32000; eighths += 1 + eighths / 4) {
            bound->flops = flops * eighths / 8;
            canvas.is_ascii = true;
            canvas_reset(&canvas, w, 12);
            roofline_plot_draw(view_model, canvas_area(&canvas, (struct rect){0, 0, w, 12}));
            strbuf_release(&screen);
            screenshot_text(&canvas, &screen);
            assert_whole(strbuf_cstr(&screen), "memory 300 GB/s", "mem", "B/s");
            assert_whole(strbuf_cstr(&screen), "f32 1.20 Tflop/s", "f32", "Tflop");
        }
    strbuf_release(&screen);
    canvas_release(&canvas);
    sample_session_free(sample);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_attempts_leave_the_names_of_roofs),
    };

    return cmocka_run_group_tests_name("roofline_plot", tests, NULL, NULL);
}
