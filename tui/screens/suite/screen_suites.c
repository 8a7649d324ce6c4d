#include "tui/screens/suite/screen_suites.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/mem.h"
#include "core/suite/suite_overview.h"
#include "tui/frame/hints.h"
#include "tui/screens/suite/screen_suite.h"
#include "tui/screens/suite/suite_lines.h"
#include "tui/screens/suite/suite_starter.h"
#include "tui/term/table_column.h"

/* Heights of the header, the message and key lines, and the heading. */
enum { HEADER_H = 1, BELOW_H = 2, HEADING_H = 1 };

/* Columns of a suite's name, which may be longer. */
enum { NAME_W = 18 };

struct suites_screen {
    struct screen screen;
    struct suite_overview overview;
    struct suite_starter starter;
    struct widget_list list;
    struct rect place; /* place of the list in the last frame */
};

static struct suites_screen *of(struct screen *screen)
{
    return (struct suites_screen *)screen;
}

static void on_change(void *data)
{
    const struct suites_screen *suites = data;

    suites->screen.host->ops->changed(suites->screen.host);
}

static void put_state(const struct listed_suite *suite, const size_t *in_phase, struct pen *pen)
{
    if (!suite->follow)
        pen_putf(pen, ROLE_DIM, "%-8s ", "ended");
    else if (suite->follow->process.pid)
        pen_putf(pen, ROLE_HUNK, "%-8s ", "runs");
    else
        pen_putf(pen, ROLE_WARNING, "%-8s ",
                 in_phase[TASK_HAS_ENDED] + in_phase[TASK_HAS_FAILED] == suite->tasks ? "failed"
                                                                                      : "stopped");
}

static void put_suite(const void *data, size_t row, struct pen *pen)
{
    const struct suites_screen *suites = data;
    const struct listed_suite *suite = &suites->overview.items[row];
    const size_t *in_phase = suite->follow ? suite->follow->store.state.in_phase : suite->in_phase;
    size_t asking = suite_overview_asking(suite);

    if (suite->trouble) {
        pen_putf(pen, ROLE_BAD, "%s: %s", suite->id, suite->trouble);
        return;
    }
    put_state(suite, in_phase, pen);
    pen_put_column(pen, ROLE_STRONG, NAME_W, suite->name);
    pen_putf(pen, ROLE_TEXT, " %5zu/%-5zu", in_phase[TASK_HAS_ENDED], suite->tasks);
    pen_putf(pen, in_phase[TASK_HAS_FAILED] ? ROLE_BAD : ROLE_DIM, " %6zu ",
             in_phase[TASK_HAS_FAILED]);
    pen_putf(pen, asking ? ROLE_WAITING : ROLE_DIM, "%5zu  ", asking);
    pen_putf(pen, ROLE_TEXT, "%zu %s x %zu %s x %u", suite->problems,
             suite->problems == 1 ? "problem" : "problems", suite->arms,
             suite->arms == 1 ? "arm" : "arms", suite->repeats);
    pen_putf(pen, ROLE_DIM, "  %s", suite->id);
}

static struct panel_body suites_body(struct screen *screen)
{
    return (struct panel_body){
        .list = &of(screen)->list,
        .rows = {.count = of(screen)->overview.count, .put = put_suite, .data = of(screen)}};
}

/* The selected suite; NULL if none is listed. */
static const struct listed_suite *selected(struct screen *screen)
{
    const struct suites_screen *suites = of(screen);

    return suites->list.selected < suites->overview.count
               ? &suites->overview.items[suites->list.selected]
               : NULL;
}

static void draw_header(const struct suites_screen *suites, struct area area)
{
    struct pen pen = area_pen(area, 1, 0);

    pen_puts(&pen, ROLE_STRONG, "suites");
    pen_putf(&pen, ROLE_HEADER, " | %zu, latest first", suites->overview.count);
    if (suites->list.filter.len)
        pen_putf(&pen, ROLE_KEY, " | \\%s", suites->list.filter.text);
    area_paint(area, ROLE_HEADER);
}

static void draw_nothing(const struct suites_screen *suites, struct area area)
{
    const struct keymap *keymap = &suites->screen.host->chrome->keymap;
    struct pen pen = area_pen(area, 1, 1);
    char mark[KEYMAP_KEY_SIZE], run[KEYMAP_KEY_SIZE];

    if (suites->overview.is_reading)
        pen_puts(&pen, ROLE_DIM, "Reading suites ...");
    else
        pen_putf(&pen, ROLE_DIM,
                 "No suite yet: on the first screen %s marks problems and %s runs them.",
                 keymap_key_of(keymap, COMMAND_SELECT, mark),
                 keymap_key_of(keymap, COMMAND_RUN_SUITE, run));
}

static struct rect suites_draw(struct screen *screen, struct canvas *canvas)
{
    static const struct hint hints[] = {
        {"open-suite", "open", .rank = 2}, {"resume-suite", "continue", .rank = 3},
        {"inbox", "decide", .rank = 2},    {"filter", "narrow", .rank = 4},
        {"help", NULL, .rank = 1},         {"quit", "back", .rank = 0},
    };
    struct suites_screen *suites = of(screen);
    struct panel_body body = suites_body(screen);
    int w = canvas->w, h = canvas->h - HEADER_H - BELOW_H;
    struct area inside = area_box(canvas_area(canvas, (struct rect){0, HEADER_H, w, h}), "Suites",
                                  ROLE_BORDER_FOCUSED);
    struct pen heading = area_pen(inside, 0, 0);
    struct area list =
        area_part(inside, (struct rect){0, HEADING_H, inside.rect.w, inside.rect.h - HEADING_H});

    draw_header(suites, canvas_area(canvas, (struct rect){0, 0, w, HEADER_H}));
    pen_putf(&heading, ROLE_DIM, "%-8s %-18s %11s %6s %5s  %s", "state", "name", "ended ", "failed",
             "asks", "tasks");
    if (!body.rows.count)
        draw_nothing(suites, inside);
    suites->place = list.rect;
    widget_list_draw(body.list, &body.rows, list);
    area_mark(list, &screen->host->chrome->search, ROLE_MATCH);
    hints_draw(&screen->host->chrome->keymap, hints, COUNT(hints),
               canvas_area(canvas, (struct rect){0, canvas->h - 1, w, 1}));
    return (struct rect){0, canvas->h - BELOW_H, w, 1};
}

static void open_suite(struct screen *screen, const struct call *call)
{
    const struct listed_suite *suite = selected(screen);
    const char *id = *call->argument ? call->argument : suite ? suite->id : NULL;
    struct error err = {0};

    if (!id)
        chrome_say(screen->host->chrome, ROLE_WARNING, "no suite is selected");
    else if (screen_suite_open(screen->host, id, &err))
        chrome_say_error(screen->host->chrome, &err);
}

static void resume(struct screen *screen, const struct call *call)
{
    const struct listed_suite *suite = selected(screen);

    (void)call;
    if (!suite || !suite->follow)
        chrome_say(screen->host->chrome, ROLE_TEXT, "nothing is left to run");
    else if (suite->follow->process.pid)
        suite_lines_say_it_runs(screen->host->chrome, &suite->follow->process);
    else
        suite_starter_resume(&of(screen)->starter, suite->id);
}

static void on_resumed(void *data, const char *id)
{
    const struct suites_screen *suites = data;

    chrome_say(suites->screen.host->chrome, ROLE_GOOD, "suite %s continues in the background", id);
}

static const struct screen_binding bindings[] = {
    {COMMAND_OPEN_SUITE, open_suite},
    {COMMAND_RESUME_SUITE, resume},
    {0},
};

static bool suites_command(struct screen *screen, const struct call *call)
{
    return screen_call(screen, bindings, call);
}

static unsigned suites_contexts(const struct screen *screen)
{
    (void)screen;
    return CONTEXT_SUITES;
}

static void suites_mouse(struct screen *screen, const struct canvas *canvas, struct mouse mouse)
{
    struct suites_screen *suites = of(screen);
    struct panel_body body = suites_body(screen);

    (void)canvas;
    if (mouse.action != MOUSE_PRESSED)
        screen_scroll(&body, mouse);
    else if (rect_has(&suites->place, mouse.x, mouse.y))
        widget_list_select_at(&suites->list, (size_t)(mouse.y - suites->place.y), body.rows.count);
}

static void suites_close(struct screen *screen)
{
    struct suites_screen *suites = of(screen);

    suite_starter_leave(&suites->starter);
    suite_overview_close(&suites->overview);
    widget_list_release(&suites->list);
    free(suites);
}

/* Read all suites again, because an ended suite may have been resumed meanwhile. */
static void suites_returned(struct screen *screen)
{
    struct suites_screen *suites = of(screen);
    struct error err = {0};

    suite_overview_close(&suites->overview);
    if (suite_overview_open(&suites->overview, screen->host->loop, on_change, suites, &err))
        chrome_say_error(screen->host->chrome, &err);
}

static const struct screen_ops suites_ops = {
    .close = suites_close,
    .draw = suites_draw,
    .contexts = suites_contexts,
    .body = suites_body,
    .command = suites_command,
    .mouse = suites_mouse,
    .returned = suites_returned,
};

enum status screen_suites_open(struct screen_host *host, struct error *err)
{
    struct suites_screen *suites = mem_alloc_zeroed(1, sizeof(*suites));
    enum status st;

    suites->screen = (struct screen){&suites_ops, host};
    suites->starter = (struct suite_starter){.host = host, .started = on_resumed, .data = suites};
    st = suite_overview_open(&suites->overview, host->loop, on_change, suites, err);
    if (st)
        suites_close(&suites->screen);
    else
        host->ops->push(host, &suites->screen);
    return st;
}
