/*
 * The lines above and below the panes of a session, where there is less room than text, and the
 * keys that texts on the screen name.
 */
#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/mem.h"
#include "core/base/vec.h"
#include "core/system/file.h"
#include "tests/golden/sample_session.h"
#include "tui/frame/overlay.h"
#include "tui/frame/session_header.h"
#include "tui/frame/status_bars.h"
#include "tui/panels/panes.h"
#include "tui/term/screenshot.h"

static struct area blank(struct canvas *canvas, int w, int h)
{
    canvas_reset(canvas, w, h);
    return canvas_area(canvas, (struct rect){0, 0, w, h});
}

static bool shows(const struct canvas *canvas, const char *text)
{
    struct strbuf screen = {0};
    bool is_shown;

    screenshot_text(canvas, &screen);
    is_shown = strstr(strbuf_cstr(&screen), text);
    strbuf_release(&screen);
    return is_shown;
}

static void assert_shows(const struct canvas *canvas, const char *text)
{
    struct strbuf screen = {0};

    screenshot_text(canvas, &screen);
    if (!strstr(strbuf_cstr(&screen), text))
        fail_msg("no \"%s\" in:\n%s", text, strbuf_cstr(&screen));
    strbuf_release(&screen);
}

/* Names of devices and agents are as long as they are; attempts and cost must stay visible. */
static void the_header_keeps_attempts_and_cost(void **state)
{
    struct sample_session *sample = sample_session_new(SAMPLE_KEEP);
    struct session *session = sample_session_session(sample);
    struct view_model *view_model = sample_session_scene(sample);
    struct device_info device = {.id = (char *)(uintptr_t) "opencl:0",
                                 .name = (char *)(uintptr_t) "cpu-haswell-AMD EPYC 9654 96-Core"};
    struct canvas canvas = {0};

    (void)state;
    session->id = "1123-181250-ecb5";
    session->agent = "openai:a-model-with-a-rather-long-name";
    session->limits.optimize = session->limits.functional = 12;
    session->limits.budget[RESOURCE_USD] = 2;
    session->gate.modes[STEP_RECOMMENDATION] = session->gate.modes[STEP_KEEP];
    view_model->device = &device;
    for (int w = 60; w <= 200; w += 10) {
        session_header_draw(view_model, blank(&canvas, w, 1));
        assert_shows(&canvas, "softmax");
        assert_shows(&canvas, "best 5.06x");
        assert_shows(&canvas, "/12 | ");
        assert_shows(&canvas, "/2.00");
        assert_true(w >= 150 || !shows(&canvas, "1123-181250-ecb5"));
    }
    session->agent = "openai:scripted";
    session_header_draw(view_model, blank(&canvas, 120, 1));
    assert_shows(&canvas, "| opencl:0 | ");
    session_header_draw(view_model, blank(&canvas, 200, 1));
    assert_shows(&canvas, "| opencl:0 cpu-haswell-AMD EPYC | ");
    canvas_release(&canvas);
    sample_session_free(sample);
}

/* A name of 60 characters is cut, and the best and the device stay. */
static void the_header_cuts_a_long_name(void **state)
{
    struct sample_session *sample = sample_session_new(SAMPLE_KEEP);
    struct view_model *view_model = sample_session_scene(sample);
    struct canvas canvas = {0};

    (void)state;
    sample_session_session(sample)->problem_name =
        "a_problem_whose_name_is_exactly_sixty_characters_long_and_on";
    session_header_draw(view_model, blank(&canvas, 60, 1));
    assert_shows(&canvas, "a_problem_whose_name_... | best 5.06x");
    session_header_draw(view_model, blank(&canvas, 120, 1));
    assert_shows(&canvas,
                 "a_problem_whose_name_... | best 5.06x over plain | opencl:0 invented device | ");
    session_header_draw(view_model, blank(&canvas, 200, 1));
    assert_shows(&canvas, "exactly_sixty_characters_long_and_on made-up | best");
    canvas_release(&canvas);
    sample_session_free(sample);
}

static void draw_bar(const struct view_model *view_model, const struct keymap *keymap, int w,
                     struct canvas *canvas)
{
    const struct read_progress progress = {.is_here = true, .lines = 99, .seen = 30, .cut = 2};
    const struct status_bars_facts facts = {
        .keymap = keymap, .is_armed = true, .note = {&progress, .pane = 3, .is_focused = true}};

    status_bars_draw_decision(view_model, &facts, blank(canvas, w, 2));
}

/*
 * A decision rests on the gain with its interval: titles are cut, the gain is not.  A fact without
 * room is left out: the beginning of +13.4% would be another gain.
 */
static void the_decision_bar_keeps_the_gain(void **state)
{
    struct sample_session *sample = sample_session_new(SAMPLE_KEEP);
    struct session *session = sample_session_session(sample);
    struct keymap keymap = {0};
    struct canvas canvas = {0};

    (void)state;
    keymap_fill(&keymap);
    session->steps.items[session->steps.count - 1].title =
        "The exponentials are written to y while they are summed; a second walk scales them";
    for (int w = 80; w <= 160; w += 4) {
        draw_bar(sample_session_scene(sample), &keymap, w, &canvas);
        assert_shows(&canvas, "| +13.4% [+12.2, +14.5] over best");
        assert_true(shows(&canvas, "| 5.") == shows(&canvas, "| 5.74x over plain"));
        assert_true(shows(&canvas, "| 5.") == (w >= 100));
    }
    assert_shows(&canvas, "keep \"The exponentials are written to y");
    assert_shows(&canvas, "...\" |");
    assert_shows(&canvas, "| 5.74x over plain | +7 -4");
    draw_bar(sample_session_scene(sample), &keymap, 80, &canvas);
    assert_false(shows(&canvas, "71.8 us |"));
    draw_bar(sample_session_scene(sample), &keymap, 40, &canvas);
    assert_shows(&canvas, "correct in 2 trials");
    assert_false(shows(&canvas, "+1"));
    canvas_release(&canvas);
    keymap_release(&keymap);
    sample_session_free(sample);
}

/* The mouse does what the note at the right end of the keys names first. */
static void assert_remedy(const struct canvas *canvas, enum screen_command command)
{
    const struct keymap_row *row = hints_row_at(canvas, canvas->w - 3, 1);

    assert_non_null(row);
    assert_int_equal(row->command, command);
}

/* Keys for going back are named where they do something, and no note takes their room. */
static void undo_and_redo_have_their_room(void **state)
{
    struct sample_session *sample = sample_session_new(SAMPLE_KEEP);
    struct view_model *view_model = sample_session_scene(sample);
    struct session *session = sample_session_session(sample);
    struct read_progress progress = {.is_here = true, .lines = 340, .seen = 123, .cut = 13};
    struct keymap keymap = {0};
    struct status_bars_facts facts = {
        .keymap = &keymap, .is_armed = true, .note = {&progress, .pane = 3, .is_focused = true}};
    struct canvas canvas = {0};

    (void)state;
    keymap_fill(&keymap);
    session->undos.count = session->undos.held = 0;
    vec_push(&session->undos, (struct undo){.step = {.number = 1}});
    vec_push(&session->undos, (struct undo){.step = {.number = 2}});
    for (size_t held = 0; held <= 2; held++) {
        session->undos.held = held;
        status_bars_draw_decision(view_model, &facts, blank(&canvas, 80, 2));
        assert_int_equal(shows(&canvas, "A run-on  u undo"), held > 0);
        assert_int_equal(shows(&canvas, "U redo"), held < 2);
        assert_shows(&canvas, held == 1 ? " 123 of 340: f" : " 123 of 340: f, 13 cut: w");
    }
    session->undos.held = 1;
    facts.note.is_alone = true;
    status_bars_draw_decision(view_model, &facts, blank(&canvas, 80, 2));
    assert_shows(&canvas, " 123 of 340: C-d");
    assert_remedy(&canvas, COMMAND_HALF_DOWN);
    facts.note.is_focused = false;
    status_bars_draw_decision(view_model, &facts, blank(&canvas, 80, 2));
    assert_shows(&canvas, " 123 of 340: 3");
    assert_remedy(&canvas, COMMAND_PANE);
    facts.note.is_focused = true;
    progress.is_whole = true;
    status_bars_draw_decision(view_model, &facts, blank(&canvas, 80, 2));
    assert_shows(&canvas, "u undo  U redo");
    assert_shows(&canvas, "  13 cut: w");
    assert_remedy(&canvas, COMMAND_WRAP);
    canvas_release(&canvas);
    keymap_release(&keymap);
    sample_session_free(sample);
}

/* The same key pauses and goes on; its words say what it does now. */
static void a_pause_names_the_key_that_ends_it(void **state)
{
    struct sample_session *sample = sample_session_new(SAMPLE_STREAMING);
    struct view_model *view_model = sample_session_scene(sample);
    struct keymap keymap = {0};
    struct canvas canvas = {0};

    (void)state;
    keymap_fill(&keymap);
    view_model->is_paused = false;
    draw_bar(view_model, &keymap, 80, &canvas);
    assert_shows(&canvas, "Space pause  ");
    view_model->is_paused = true;
    draw_bar(view_model, &keymap, 80, &canvas);
    assert_shows(&canvas, "Space continue  ");
    canvas_release(&canvas);
    keymap_release(&keymap);
    sample_session_free(sample);
}

/* An error that is cut names the command that shows its remedy. */
static void a_long_error_can_be_read(void **state)
{
    struct sample_session *sample = sample_session_new(SAMPLE_STREAMING);
    struct view_model *view_model = sample_session_scene(sample);
    struct keymap keymap = {0};
    struct canvas canvas = {0};

    (void)state;
    keymap_fill(&keymap);
    view_model->trouble = "/a/long/path: cannot make a folder for the executor: set TMPDIR";
    draw_bar(view_model, &keymap, 80, &canvas);
    assert_shows(&canvas,
                 "stopped: /a/long/path: cannot make a folder for the executor: set TMPDIR");
    draw_bar(view_model, &keymap, 60, &canvas);
    assert_shows(&canvas, "stopped: /a/long/path: cannot make a folder fo... :messages");
    canvas_release(&canvas);
    keymap_release(&keymap);
    sample_session_free(sample);
}

/* The error stands on the screen once: beside the remedy, or in the line of messages if that is
 * longer. */
static void an_error_is_shown_once(void **state)
{
    struct sample_session *sample = sample_session_new(SAMPLE_STREAMING);
    struct view_model *view_model = sample_session_scene(sample);
    struct message_log messages = {0};
    struct keymap keymap = {0};
    struct canvas canvas = {0};
    const struct status_bars_facts facts = {.keymap = &keymap, .messages = &messages};

    (void)state;
    keymap_fill(&keymap);
    view_model->trouble = "no space is left";
    message_add(&messages, ROLE_BAD, mem_strdup(view_model->trouble));
    status_bars_draw_decision(view_model, &facts, blank(&canvas, 20, 2));
    assert_shows(&canvas, "stopped, as the");
    assert_true(message_is_unread(&messages));
    status_bars_draw_decision(view_model, &facts, blank(&canvas, 40, 2));
    assert_shows(&canvas, "stopped: no space is left");
    assert_false(message_is_unread(&messages));
    message_release(&messages);
    canvas_release(&canvas);
    keymap_release(&keymap);
    sample_session_free(sample);
}

/* The note of a pinned layout leaves room for the keys. */
static void a_pinned_layout_leaves_the_keys(void **state)
{
    struct sample_session *sample = sample_session_new(SAMPLE_KEEP);
    struct keymap keymap = {0};
    struct canvas canvas = {0};
    const struct status_bars_facts facts = {.keymap = &keymap, .pinned = SCENE_KEEP};

    (void)state;
    keymap_fill(&keymap);
    status_bars_draw_status(sample_session_scene(sample), &facts, blank(&canvas, 120, 1));
    assert_shows(&canvas, "layout keep pinned (F) | waiting for you");
    status_bars_draw_status(sample_session_scene(sample), &facts, blank(&canvas, 80, 1));
    assert_shows(&canvas, " pinned (F) | waiting for you");
    assert_shows(&canvas, "1-7 pane  f full  : command  ? help  q leave");
    canvas_release(&canvas);
    keymap_release(&keymap);
    sample_session_free(sample);
}

/* Bind other keys, as a user's file does. */
static void rebind(struct keymap *keymap, const char *lines)
{
    char path[] = "/tmp/kforge-keys-XXXXXX";
    struct error err = {0};

    close(mkstemp(path));
    assert_int_equal(file_write(path, lines, strlen(lines), &err), STATUS_OK);
    keymap_fill(keymap);
    if (keymap_read(keymap, path, &err))
        fail_msg("%s", err.text);
    remove(path);
}

static void texts_name_the_keys_that_are_bound(void **state)
{
    static const char lines[] =
        "Escape = none\nC-g = :back\n[panes]\nf = none\nZ = :full\n[kernel]\n"
        "w = none\n[profile]\nX = none\nY = :axis\n";
    const struct call trajectory = {.row = keymap_row_of(COMMAND_TRAJECTORY), .argument = ""};
    struct sample_session *sample = sample_session_new(SAMPLE_KEEP);
    struct view_model *view_model = sample_session_scene(sample);
    struct overlay overlay = {0};
    struct keymap keymap = {0};
    struct canvas canvas = {0};
    struct layout layout;
    struct panes panes;

    (void)state;
    rebind(&keymap, lines);
    draw_bar(view_model, &keymap, 160, &canvas);
    assert_shows(&canvas, "30 of 99 lines seen (Z: full pane), 2 cut (:wrap: wrap)");

    overlay_open(&overlay, OVERLAY_LEGEND);
    blank(&canvas, 120, 36);
    overlay_draw(&overlay, &(struct overlay_facts){.keymap = &keymap, .judge = ""},
                 &(struct pattern){0}, &canvas);
    assert_shows(&canvas, "Legend: C-g goes back");
    assert_shows(&canvas, " more: j, C-d ");

    view_model->keymap = &keymap;
    panes_open(&panes);
    assert_true(panes_command(&panes, view_model, &trajectory));
    layout_focus_pane(&panes.focus, PANE_PROFILE);
    panes.focus.is_full = true;
    layout = layout_of(120, 36, &panes.focus);
    blank(&canvas, 120, 36);
    assert_true(panes_draw(&panes, view_model, &(struct pattern){0}, &layout, &canvas));
    assert_shows(&canvas, "speed by attempt (Y by time)");
    panes_release(&panes);
    overlay_release(&overlay);
    canvas_release(&canvas);
    keymap_release(&keymap);
    sample_session_free(sample);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_header_keeps_attempts_and_cost),
        cmocka_unit_test(the_header_cuts_a_long_name),
        cmocka_unit_test(the_decision_bar_keeps_the_gain),
        cmocka_unit_test(undo_and_redo_have_their_room),
        cmocka_unit_test(a_pause_names_the_key_that_ends_it),
        cmocka_unit_test(a_long_error_can_be_read),
        cmocka_unit_test(an_error_is_shown_once),
        cmocka_unit_test(a_pinned_layout_leaves_the_keys),
        cmocka_unit_test(texts_name_the_keys_that_are_bound),
    };

    setenv("KFORGE_ROOT", KFORGE_SOURCE_DIR, 1);
    return cmocka_run_group_tests_name("status_bars", tests, NULL, NULL);
}
