#include "tests/unit/unit.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/vec.h"
#include "tests/golden/sample_session.h"
#include "tui/panels/panes.h"
#include "tui/screens/chrome.h"
#include "tui/term/screenshot.h"

static void draw(struct panes *panes, const struct view_model *view_model, struct rect size,
                 struct canvas *canvas)
{
    struct layout layout = layout_of(size.w, size.h, &panes->focus);

    canvas_reset(canvas, size.w, size.h);
    assert_int_equal(panes_draw(panes, view_model, &(struct pattern){0}, &layout, canvas),
                     layout.kind != LAYOUT_LINE);
}

enum { LONG_LINE_BYTES = 1 << 17 };

/* A string literal with its length, because some contain NUL. */
#define BYTES(literal)               \
    {                                \
        literal, sizeof(literal) - 1 \
    }

static void assert_same_outside(struct rect pane, const struct canvas *a, const struct canvas *b)
{
    for (int y = 0; y < a->h; y++)
        for (int x = 0; x < a->w; x++)
            if (x <= pane.x || x >= pane.x + pane.w - 1 || y <= pane.y || y >= pane.y + pane.h - 1)
                assert_true(cell_equals(canvas_cell(a, x, y), canvas_cell(b, x, y)));
}

static void stream(struct view_model *view_model, const struct strbuf *text)
{
    struct driver_live *live = (struct driver_live *)(uintptr_t)view_model->live;
    struct strbuf *shown = &live->streams[0];

    live->stream_count = 1;
    live->first_part_us = INT64_MAX;
    shown->len = 0;
    strbuf_add(shown, text->data, text->len);
}

/* Show the text as the candidate's source. */
static void show_kernel(struct view_model *view_model, const struct strbuf *text)
{
    free(view_model->shown.candidate.source);
    view_model->shown.candidate.source = mem_strdup(strbuf_cstr(text));
    view_model->generation++;
}

static void replace(char **text, const struct strbuf *with)
{
    free(*text);
    *text = mem_strdup(strbuf_cstr(with));
}

/* Use the text as each step's title and as the reason of its veto. */
static void title_steps(struct view_model *view_model, const struct strbuf *text)
{
    struct session *session = (struct session *)(uintptr_t)view_model->session;

    for (size_t i = 0; i < session->steps.count; i++) {
        session->steps.items[i].title = session_keep(session, strbuf_cstr(text));
        session->steps.items[i].reason = session->steps.items[i].title;
    }
}

static void title_candidates(struct view_model *view_model, const struct strbuf *text)
{
    struct session *session = (struct session *)(uintptr_t)view_model->session;

    for (size_t i = 0; i < session->attempts.count; i++) {
        session->attempts.items[i].title = session_keep(session, strbuf_cstr(text));
        session->attempts.items[i].tag = session->attempts.items[i].title;
    }
}

/* The same texts, where the Profile pane shows the trajectory, alone on the screen. */
static void title_trajectory(struct view_model *view_model, const struct strbuf *text)
{
    title_candidates(view_model, text);
}

static void call(struct panes *panes, struct view_model *view_model, enum screen_command command)
{
    const struct call call = {.row = keymap_row_of(command), .argument = ""};

    assert_true(panes_command(panes, view_model, &call));
}

/* Compilers quote the source in their messages. */
static void diagnose(struct view_model *view_model, const struct strbuf *text)
{
    replace(&view_model->shown.verdict.build.diagnostics.items[0].text, text);
}

static void name_trials(struct view_model *view_model, const struct strbuf *text)
{
    struct verdict *verdict = &view_model->shown.verdict;

    for (size_t i = 0; i < verdict->trials.count; i++) {
        replace(&verdict->trials.items[i].output, text);
        replace(&verdict->trials.items[i].dims, text);
    }
    replace(&verdict->hazards.items[0].name, text);
    replace(&verdict->hazards.items[0].evidence, text);
    replace(&verdict->detail, text);
}

/* The candidate chooses the names of kernels, the driver those of devices. */
static void name_kernels(struct view_model *view_model, const struct strbuf *text)
{
    struct verdict *verdict = &view_model->shown.verdict;

    replace(&verdict->timing.per_kernel.items[0].kernel, text);
    replace(&verdict->resources.items[0].kernel, text);
    replace(&verdict->against.items[0].name, text);
    replace(&verdict->tuning.chosen, text);
    replace(&verdict->where.device, text);
}

/* Draw a harmless text and hostile ones in a pane; the cells outside of the pane must be equal. */
static void assert_contained(enum pane pane,
                             void (*put)(struct view_model *, const struct strbuf *))
{
    static const struct {
        const char *bytes;
        size_t len;
    } hostile[] = {
        BYTES("\033[2J\033]52;c;aGVsbG8=\a\033c\033[?1049l"),
        BYTES("\u202e\u2066 reversed \u200b\u0301"),
        BYTES("\xff\xfe\xc0\x80\xf8"),
        BYTES("\u6c34\u6c34\u6c34\u6c34"),
        BYTES("a\0b\0\r\b\b\b\v\f"),
        BYTES("\tx\ty\u0301\u0302\u0303\u20dd\U0001f468\u200d\U0001f469\ufe0f\uff21"),
    };
    struct sample_session *sample =
        sample_session_new(pane == PANE_AGENTS ? SAMPLE_STREAMING : SAMPLE_KEEP);
    struct view_model *view_model = sample_session_scene(sample);
    struct canvas plain = {0}, attacked = {0};
    struct panes panes;
    struct strbuf line = {0};
    struct rect size = {.w = 120, .h = 36}, inside;

    panes_open(&panes);
    layout_focus_pane(&panes.focus, pane);
    if (put == title_trajectory) {
        call(&panes, view_model, COMMAND_TRAJECTORY);
        call(&panes, view_model, COMMAND_FULL);
    }
    inside = layout_of(120, 36, &panes.focus).panes[pane];
    strbuf_adds(&line, "mild");
    put(view_model, &line);
    draw(&panes, view_model, size, &plain);
    for (size_t i = 0; i < sizeof(hostile) / sizeof(hostile[0]); i++) {
        line.len = 0;
        strbuf_add(&line, hostile[i].bytes, hostile[i].len);
        put(view_model, &line);
        draw(&panes, view_model, size, &attacked);
        assert_same_outside(inside, &plain, &attacked);
    }
    line.len = 0;
    while (line.len < LONG_LINE_BYTES)
        strbuf_adds(&line, "x + \" /* ");
    put(view_model, &line);
    draw(&panes, view_model, size, &attacked);
    assert_same_outside(inside, &plain, &attacked);
    strbuf_release(&line);
    canvas_release(&plain);
    canvas_release(&attacked);
    panes_release(&panes);
    sample_session_free(sample);
}

static void hostile_text_stays_in_its_pane(void **state)
{
    (void)state;
    assert_contained(PANE_AGENTS, stream);
    assert_contained(PANE_KERNEL, show_kernel);
    assert_contained(PANE_STEPS, title_steps);
    assert_contained(PANE_CANDIDATES, title_candidates);
    assert_contained(PANE_DIAGNOSTICS, diagnose);
    assert_contained(PANE_CORRECTNESS, name_trials);
    assert_contained(PANE_PROFILE, name_kernels);
    assert_contained(PANE_PROFILE, title_trajectory);
}

/* At any size, drawing stays on the canvas; the sanitizers detect a write outside. */
static void every_size_can_be_drawn(void **state)
{
    struct sample_session *sample = sample_session_new(SAMPLE_WRONG);
    struct canvas canvas = {0};
    struct panes panes;
    struct chrome chrome;

    (void)state;
    panes_open(&panes);
    chrome_open(&chrome);
    for (int i = 0; i < 200; i++) {
        struct rect size = {.w = 1 + i * 37 % 211, .h = 1 + i * 23 % 61};

        if (i == 100)
            call(&panes, sample_session_scene(sample), COMMAND_TRAJECTORY);
        overlay_open(&chrome.overlay, (enum overlay_kind)(i % 7 % (OVERLAY_ABOUT + 1)));
        layout_focus_pane(&panes.focus, (enum pane)(i % PANE_COUNT));
        draw(&panes, sample_session_scene(sample), size, &canvas);
        chrome_draw(&chrome, &canvas, (struct rect){0, size.h - 1, size.w, 1});
    }
    canvas_release(&canvas);
    panes_release(&panes);
    chrome_release(&chrome);
    sample_session_free(sample);
}

/* The sparkline ends with the best time, for any number of candidates. */
static void a_long_search_fits_the_sparkline(void **state)
{
    struct sample_session *sample = sample_session_new(SAMPLE_KEEP);
    struct session *session = sample_session_session(sample);
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
    draw(&panes, sample_session_scene(sample), (struct rect){.w = 120, .h = 36}, &canvas);
    screenshot_text(&canvas, &text);
    assert_non_null(strstr(strbuf_cstr(&text), " 20.0 us"));
    strbuf_release(&text);
    canvas_release(&canvas);
    panes_release(&panes);
    sample_session_free(sample);
}

/* Frames follow each other while verdicts are read, but only for a table that is on the screen. */
static void a_hidden_table_asks_for_no_frames(void **state)
{
    struct sample_session *sample = sample_session_new(SAMPLE_ROUND);
    struct session *session = sample_session_session(sample);
    struct view_model *view_model = sample_session_scene(sample);
    const struct call by_dram = {.row = keymap_row_of(COMMAND_SORT_BY), .argument = "dram"};
    struct rect size = {.w = 80, .h = 24};
    struct canvas canvas = {0};
    struct panes panes;

    (void)state;
    for (unsigned i = (unsigned)session->attempts.count + 1; i <= 100; i++) {
        struct attempt attempt = {.number = i, .is_evaluated = true, .verdict = "verdict1"};

        vec_push(&session->attempts, attempt);
    }
    panes_open(&panes);
    layout_focus_pane(&panes.focus, PANE_CANDIDATES);
    assert_true(panes_command(&panes, view_model, &by_dram));
    draw(&panes, view_model, size, &canvas);
    assert_true(panes.is_loading);
    layout_focus_pane(&panes.focus, PANE_KERNEL);
    draw(&panes, view_model, size, &canvas);
    assert_false(panes.is_loading);
    canvas_release(&canvas);
    panes_release(&panes);
    sample_session_free(sample);
}

/* The title of the table is right in the first frame in which the pane is wide enough for it. */
static void a_title_is_that_of_its_frame(void **state)
{
    struct sample_session *sample = sample_session_new(SAMPLE_KEEP);
    struct canvas canvas = {0};
    struct strbuf text = {0};
    struct panes panes;

    (void)state;
    panes_open(&panes);
    layout_focus_pane(&panes.focus, PANE_CANDIDATES);
    panes.focus.is_full = true;
    draw(&panes, sample_session_scene(sample), (struct rect){.w = 120, .h = 36}, &canvas);
    screenshot_text(&canvas, &text);
    assert_non_null(strstr(strbuf_cstr(&text), "2 Candidates speedup over plain"));
    strbuf_release(&text);
    canvas_release(&canvas);
    panes_release(&panes);
    sample_session_free(sample);
}

/* A speedup that may be half or twice as large has a mark, in the Profile pane and its legend. */
static void an_unsteady_speedup_has_a_mark(void **state)
{
    struct sample_session *sample = sample_session_new(SAMPLE_KEEP);
    struct view_model *view_model = sample_session_scene(sample);
    struct comparison *plain = &view_model->shown.verdict.against.items[0];
    struct canvas canvas = {0};
    struct strbuf text = {0};
    struct panes panes;

    (void)state;
    plain->speedup_low = plain->speedup / 30;
    plain->speedup_high = plain->speedup * 30;
    panes_open(&panes);
    draw(&panes, view_model, (struct rect){.w = 120, .h = 36}, &canvas);
    screenshot_text(&canvas, &text);
    assert_non_null(strstr(strbuf_cstr(&text), " 5.74x?[0.191, 172]"));
    assert_non_null(strstr(strbuf_cstr(&text), " 1.13x [1.12, 1.15]"));
    strbuf_release(&text);
    canvas_release(&canvas);
    panes_release(&panes);
    sample_session_free(sample);
}

/* Other programs' load belongs to the times, and takes no line of the trials. */
static void load_is_told_beside_the_times(void **state)
{
    struct sample_session *sample = sample_session_new(SAMPLE_KEEP);
    struct view_model *view_model = sample_session_scene(sample);
    struct canvas canvas = {0};
    struct strbuf text = {0};
    struct panes panes;

    (void)state;
    verdict_add_hazard(&view_model->shown.verdict, HAZARD_MEASURED_AT_LOAD, "other programs ran");
    panes_open(&panes);
    draw(&panes, view_model, (struct rect){.w = 120, .h = 36}, &canvas);
    screenshot_text(&canvas, &text);
    assert_null(strstr(strbuf_cstr(&text), HAZARD_MEASURED_AT_LOAD));
    assert_non_null(strstr(strbuf_cstr(&text), "other programs ran"));
    strbuf_release(&text);
    canvas_release(&canvas);
    panes_release(&panes);
    sample_session_free(sample);
}

/* A kernel that comes into view is shown from its first column, however the one before was. */
static void another_kernel_begins_at_the_left(void **state)
{
    struct sample_session *sample = sample_session_new(SAMPLE_KEEP);
    struct view_model *view_model = sample_session_scene(sample);
    const struct rect size = {.w = 60, .h = 16};
    struct canvas canvas = {0};
    struct strbuf text = {0};
    struct panes panes;

    (void)state;
    panes_open(&panes);
    layout_focus_pane(&panes.focus, PANE_KERNEL);
    draw(&panes, view_model, size, &canvas);
    call(&panes, view_model, COMMAND_RIGHT);
    draw(&panes, view_model, size, &canvas);
    screenshot_text(&canvas, &text);
    assert_null(strstr(strbuf_cstr(&text), " __kernel void"));
    view_model_look_at_attempt(view_model, 1);
    draw(&panes, view_model, size, &canvas);
    text.len = 0;
    screenshot_text(&canvas, &text);
    assert_non_null(strstr(strbuf_cstr(&text), " __kernel void"));
    strbuf_release(&text);
    canvas_release(&canvas);
    panes_release(&panes);
    sample_session_free(sample);
}

/* The note on what was read says "press 3", also where that pane shows the plan. */
static void the_number_of_a_pane_leads_back_to_the_proposal(void **state)
{
    struct sample_session *sample = sample_session_new(SAMPLE_KEEP);
    struct view_model *view_model = sample_session_scene(sample);
    const struct call three = {.row = keymap_row_named("kernel"), .argument = ""};
    struct panes panes;

    (void)state;
    panes_open(&panes);
    layout_focus_pane(&panes.focus, PANE_KERNEL);
    call(&panes, view_model, COMMAND_PLAN);
    layout_focus_pane(&panes.focus, PANE_STEPS);
    assert_true(panes_command(&panes, view_model, &three));
    assert_int_equal(panes.focus.pane, PANE_KERNEL);
    assert_true(panes_body(&panes, view_model).is_aside);
    assert_true(panes_command(&panes, view_model, &three));
    assert_false(panes_body(&panes, view_model).is_aside);
    panes_release(&panes);
    sample_session_free(sample);
}

/* The first column of the right half with a bar; 0: there is none. */
static int bar_at(const struct canvas *canvas, int y)
{
    for (int x = canvas->w / 2; x < canvas->w; x++)
        if (canvas_cell(canvas, x, y)->code >= 0x2588 && canvas_cell(canvas, x, y)->code <= 0x258f)
            return x;
    return 0;
}

/*
 * Bars are compared by their ends, so they begin in one column, however long an interval is; and
 * each is seen, however long another one is.
 */
static void the_bars_of_times_begin_in_one_column(void **state)
{
    struct sample_session *sample = sample_session_new(SAMPLE_KEEP);
    struct view_model *view_model = sample_session_scene(sample);
    struct comparison *plain = &view_model->shown.verdict.against.items[0];
    struct canvas canvas = {0};
    struct panes panes;
    struct strbuf text = {0};
    int start = 0;

    (void)state;
    plain->speedup = 0.871;
    plain->speedup_low = 0.0768;
    plain->speedup_high = 0.0988;
    plain->time.median_us *= 1e4;
    panes_open(&panes);
    draw(&panes, view_model, (struct rect){.w = 200, .h = 50}, &canvas);
    while (start < canvas.h && !bar_at(&canvas, start))
        start++;
    for (int i = 0; i < 4; i++) /* this, plain, best, bound */
        assert_int_equal(bar_at(&canvas, start + i), bar_at(&canvas, start));
    draw(&panes, view_model, (struct rect){.w = 120, .h = 36}, &canvas);
    screenshot_text(&canvas, &text);
    assert_non_null(strstr(strbuf_cstr(&text), "0.871x [0.077,0.099]")); /* not cut at the edge */
    strbuf_release(&text);
    canvas_release(&canvas);
    panes_release(&panes);
    sample_session_free(sample);
}

/* The first cell with a character, from the top; the chart is above the legend. */
static struct mouse press_on(const struct canvas *canvas, char mark)
{
    struct mouse mouse = {.action = MOUSE_PRESSED};

    for (mouse.y = 6; mouse.y < canvas->h; mouse.y++)
        for (mouse.x = 8; mouse.x < canvas->w; mouse.x++)
            if (canvas_cell(canvas, mouse.x, mouse.y)->code == (uint32_t)mark)
                return mouse;
    fail();
    return mouse;
}

static void a_press_on_a_mark_goes_to_its_attempt(void **state)
{
    struct sample_session *sample = sample_session_new(SAMPLE_KEEP);
    struct view_model *view_model = sample_session_scene(sample);
    struct canvas canvas = {0};
    struct panes panes;

    (void)state;
    panes_open(&panes);
    call(&panes, view_model, COMMAND_TRAJECTORY);
    call(&panes, view_model, COMMAND_FULL);
    draw(&panes, view_model, (struct rect){.w = 120, .h = 36}, &canvas);
    assert_int_equal(view_model->attempt, 4);
    assert_int_equal(canvas_target_at(&canvas, 20, 1),
                     keymap_index(keymap_row_of(COMMAND_AXIS))); /* the title names its key */
    panes_mouse(&panes, view_model, &canvas, press_on(&canvas, '*'));
    assert_int_equal(view_model->attempt, 2);
    panes_mouse(&panes, view_model, &canvas, press_on(&canvas, '+'));
    assert_int_equal(view_model->attempt, 1);
    panes_mouse(&panes, view_model, &canvas, (struct mouse){MOUSE_PRESSED, 119, 35});
    assert_int_equal(view_model->attempt, 1);
    canvas_release(&canvas);
    panes_release(&panes);
    sample_session_free(sample);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hostile_text_stays_in_its_pane),
        cmocka_unit_test(every_size_can_be_drawn),
        cmocka_unit_test(a_long_search_fits_the_sparkline),
        cmocka_unit_test(a_hidden_table_asks_for_no_frames),
        cmocka_unit_test(a_title_is_that_of_its_frame),
        cmocka_unit_test(an_unsteady_speedup_has_a_mark),
        cmocka_unit_test(another_kernel_begins_at_the_left),
        cmocka_unit_test(load_is_told_beside_the_times),
        cmocka_unit_test(the_bars_of_times_begin_in_one_column),
        cmocka_unit_test(the_number_of_a_pane_leads_back_to_the_proposal),
        cmocka_unit_test(a_press_on_a_mark_goes_to_its_attempt),
    };

    setlocale(LC_ALL, "C.UTF-8");
    return cmocka_run_group_tests_name("view", tests, NULL, NULL);
}
