#include "tui/screens/suite/screen_suite.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/vec.h"
#include "core/system/clock.h"
#include "tui/frame/hints.h"
#include "tui/screens/suite/board_columns.h"
#include "tui/screens/suite/suite_lines.h"
#include "tui/screens/suite/suite_starter.h"
#include "tui/screens/suite/task_page.h"
#include "tui/screens/suite/task_session.h"

/*
 * Heights of the lines above and below the table. The page of the selected row is at the right of
 * the table, PAGE_W wide, if the screen is at least BESIDE_W wide; otherwise it is below the table,
 * if the screen is at least BELOW_LEAST_H high. A screen lower than LEAST_LINES_H shows only the
 * table, without a border.
 */
enum { HEADER_H = 1, PROGRESS_H = 1, TITLES_H = 1, TOTALS_H = 1, BELOW_H = 2, LEAST_LINES_H = 14 };
enum { BESIDE_W = 190, PAGE_W = 50, BELOW_LEAST_H = 32, PAGE_H = 11, LEAST_TABLE_H = 8 };

/*
 * The interval of the mean takes long to compute, so it is computed only when nothing has changed
 * for this time.
 */
enum { REST_US = 300000 };

struct suite_screen {
    struct screen screen;
    struct suite_follow follow;
    struct suite_board board;
    bool is_stale; /* the board must be computed again */
    struct board_view view;
    struct suite_progress progress;
    struct ratio mean; /* mean speedup of the `mean_of` rows shown, with its interval */
    size_t mean_of;
    struct loop_timer rest;
    struct widget_list list;
    struct rect place; /* place of the list in the last frame */
    struct page page;
    struct suite_starter starter;
};

static struct suite_screen *of(struct screen *screen)
{
    return (struct suite_screen *)screen;
}

static const struct board_line *line_at(const struct suite_screen *suite, size_t index)
{
    return index < suite->view.lines.count ? &suite->view.lines.items[index] : NULL;
}

/* The selected row; NULL if there is none. */
static const struct board_row *selected(const struct suite_screen *suite)
{
    const struct board_line *line = line_at(suite, suite->list.selected);

    return line ? &suite->board.items[line->row] : NULL;
}

static void compute_mean(void *data)
{
    struct suite_screen *suite = data;
    const struct board_total total =
        suite_board_add_up(&suite->board, suite->view.rows.items, suite->view.rows.count, true);

    suite->mean = total.mean;
    suite->mean_of = total.timed;
    suite->screen.host->ops->changed(suite->screen.host);
}

/* Choose the rows again. The same row stays selected, and the heading above it stays visible. */
static void choose(struct suite_screen *suite)
{
    const struct board_line *line = line_at(suite, suite->list.selected);
    bool was_heading = line && line->is_heading;
    size_t row = line ? line->row : 0;

    board_view_choose(&suite->view);
    loop_set_timer(suite->screen.host->loop, &suite->rest, REST_US, compute_mean, suite);
    suite->list.top = suite->view.group ? 0 : suite->list.top;
    for (size_t i = 0; line && i < suite->view.lines.count; i++)
        if (suite->view.lines.items[i].row == row &&
            (was_heading || !suite->view.lines.items[i].is_heading)) {
            suite->list.selected = i;
            break;
        }
}

static int64_t calendar_us(void)
{
    char stamp[CLOCK_STAMP_SIZE];
    int64_t now_us = 0;

    clock_stamp(stamp);
    return clock_read_stamp(stamp, &now_us) ? now_us : 0;
}

static void refresh(struct suite_screen *suite)
{
    if (!suite->is_stale)
        return;
    suite->is_stale = false;
    suite_board_make(&suite->board, &suite->follow);
    suite->progress = suite_progress_read(&suite->follow, calendar_us());
    choose(suite);
}

static void on_change(void *data)
{
    struct suite_screen *suite = data;

    suite->is_stale = true;
    suite->screen.host->ops->changed(suite->screen.host);
}

static struct panel_body suite_body(struct screen *screen)
{
    return (struct panel_body){.list = &of(screen)->list,
                               .rows = board_columns_lines(&of(screen)->view)};
}

static void draw_nothing(const struct suite_screen *suite, struct area area)
{
    struct pen pen = area_pen(area, 1, 0);
    char key[KEYMAP_KEY_SIZE];

    if (suite->board.count)
        pen_putf(
            &pen, ROLE_DIM, "No task is in this state: %s shows others.",
            keymap_key(&suite->screen.host->chrome->keymap, keymap_row_named("only-state"), key));
    else
        pen_puts(&pen, ROLE_DIM, "The suite has not begun.");
}

/* "Problems and arms, only asks, sorted by speed, grouped by arm". */
static void add_title(const struct board_view *view, struct strbuf *out)
{
    strbuf_adds(out, "Problems and arms");
    if (view->only != BOARD_STATES)
        strbuf_addf(out, ", only %s", board_state_names[view->only]);
    if (view->order)
        strbuf_addf(out, ", sorted by %s", board_order_names[view->order]);
    if (view->group)
        strbuf_addf(out, ", grouped by %s", board_group_names[view->group]);
}

static void draw_table(struct suite_screen *suite, bool has_border, struct area area)
{
    struct panel_body body = suite_body(&suite->screen);
    struct strbuf title = {0};
    struct pen titles;
    struct area inside;

    add_title(&suite->view, &title);
    if (suite->list.filter.len)
        strbuf_addf(&title, " \\%s", suite->list.filter.text);
    inside = has_border ? area_box(area, strbuf_cstr(&title), ROLE_BORDER_FOCUSED) : area;
    titles = area_pen(inside, 0, 0);
    board_columns_put_titles(&suite->view, &titles);
    inside = area_part(inside, (struct rect){0, TITLES_H, inside.rect.w, inside.rect.h - TITLES_H});
    suite->place = inside.rect;
    if (!body.rows.count)
        draw_nothing(suite, inside);
    widget_list_draw(body.list, &body.rows, inside);
    area_mark(inside, &suite->screen.host->chrome->search, ROLE_MATCH);
    strbuf_release(&title);
}

static void draw_page(struct suite_screen *suite, struct area area)
{
    const struct board_row *row = selected(suite);
    struct area inside = area_box(area, "Tasks", ROLE_BORDER);

    page_clear(&suite->page);
    if (row)
        task_page_write(&suite->follow, row, &suite->page, inside.rect.w);
    page_draw(&suite->page, inside);
}

/* Draw the totals of the rows that pass the filter. */
static void draw_totals(const struct suite_screen *suite, struct area area)
{
    struct board_total total;
    struct {
        size_t *items;
        size_t count, capacity;
    } rows = {0};

    for (size_t i = 0; suite->list.filter.len && i < suite->list.passing.count; i++) {
        const struct board_line *line = line_at(suite, suite->list.passing.items[i]);

        if (line && !line->is_heading)
            vec_push(&rows, line->row);
    }
    if (suite->list.filter.len)
        total = suite_board_add_up(&suite->board, rows.items, rows.count, false);
    else
        total = suite_board_add_up(&suite->board, suite->view.rows.items, suite->view.rows.count,
                                   false);
    if (total.mean.value == suite->mean.value && total.timed == suite->mean_of)
        total.mean = suite->mean;
    suite_lines_draw_totals(&total, area);
    vec_release(&rows);
}

/* Draw the table and, if there is room, the selected row's page next to it or below it. */
static void draw_middle(struct suite_screen *suite, struct area area)
{
    int w = area.rect.w, h = area.rect.h;
    int beside = w >= BESIDE_W && h >= LEAST_TABLE_H ? PAGE_W : 0;
    int below = !beside && h >= BELOW_LEAST_H - HEADER_H - PROGRESS_H - BELOW_H ? PAGE_H : 0;

    draw_table(suite, true, area_part(area, (struct rect){0, 0, w - beside, h - below}));
    if (beside)
        draw_page(suite, area_part(area, (struct rect){w - beside, 0, beside, h}));
    else if (below)
        draw_page(suite, area_part(area, (struct rect){0, h - below, w, below}));
}

static struct rect suite_draw(struct screen *screen, struct canvas *canvas)
{
    static const struct hint hints[] = {
        {"open-task", "session", .rank = 2},
        {"inbox", "decide", .rank = 2},
        {"resume-suite", "continue", .rank = 3},
        {"sort-rows", "sort", .rank = 4},
        {"group", NULL, .rank = 5},
        {"only-state", "state", .rank = 5},
        {"filter", "narrow", .rank = 6},
        {"suites", NULL, .rank = 6},
        {"help", NULL, .rank = 1},
        {"quit", "back", .rank = 0},
    };
    struct suite_screen *suite = of(screen);
    bool is_low = canvas->h < LEAST_LINES_H;
    int w = canvas->w, lines = is_low ? 0 : PROGRESS_H + TOTALS_H;
    int y = HEADER_H + (is_low ? 0 : PROGRESS_H), h = canvas->h - HEADER_H - lines - BELOW_H;
    struct area middle = canvas_area(canvas, (struct rect){0, y, w, h});

    refresh(suite);
    suite_lines_draw_header(&suite->follow, &suite->progress,
                            canvas_area(canvas, (struct rect){0, 0, w, HEADER_H}));
    if (is_low) {
        draw_table(suite, false, middle);
    } else {
        suite_lines_draw_progress(&suite->follow, &suite->progress,
                                  canvas_area(canvas, (struct rect){0, HEADER_H, w, PROGRESS_H}));
        draw_middle(suite, middle);
        draw_totals(suite, canvas_area(canvas, (struct rect){0, y + h, w, TOTALS_H}));
    }
    hints_draw(&screen->host->chrome->keymap, hints, COUNT(hints),
               canvas_area(canvas, (struct rect){0, canvas->h - 1, w, 1}));
    return (struct rect){0, canvas->h - BELOW_H, w, 1};
}

/*
 * The most urgent task of a row: the task that asks, else the first in the state of the row or, if
 * the row has ended, the task with the best kernel.
 */
static size_t urgent_task(const struct suite_screen *suite, const struct board_row *row)
{
    const struct suite *of_suite = &suite->follow.store.suite;
    size_t first = suite_task_index(of_suite, (struct suite_task){row->problem, row->arm, 0});

    if (row->asking != BOARD_NO_TASK)
        return (size_t)row->asking;
    for (unsigned repeat = 0; row->state != BOARD_ENDED && repeat < row->repeats; repeat++) {
        size_t task =
            suite_task_index(of_suite, (struct suite_task){row->problem, row->arm, repeat});

        if (suite_board_state(&suite->follow, task) == row->state)
            return task;
    }
    return row->best != BOARD_NO_TASK ? (size_t)row->best : first;
}

static void open_task(struct screen *screen, const struct call *call)
{
    const struct board_row *row = selected(of(screen));

    (void)call;
    if (row)
        task_session_open(screen->host, &of(screen)->follow, urgent_task(of(screen), row));
}

static void resume(struct screen *screen, const struct call *call)
{
    struct suite_screen *suite = of(screen);

    (void)call;
    if (suite->follow.process.pid)
        suite_lines_say_it_runs(screen->host->chrome, &suite->follow.process);
    else
        suite_starter_resume(&suite->starter, suite->follow.store.id);
}

static void on_resumed(void *data, const char *id)
{
    const struct suite_screen *suite = data;

    chrome_say(suite->screen.host->chrome, ROLE_GOOD, "suite %s continues in the background", id);
}

/* Interrupt the suite's process, which interrupts its sessions; they can be resumed. */
static void enter_interrupt(void *data, const char *answer)
{
    const struct suite_screen *suite = data;

    if (strcmp(answer, "y") == 0 && suite->follow.process.pid &&
        !suite->follow.process.is_elsewhere && kill(suite->follow.process.pid, SIGTERM) == 0)
        chrome_say(suite->screen.host->chrome, ROLE_WARNING, "interrupted: its sessions end now");
    else
        chrome_say(suite->screen.host->chrome, ROLE_TEXT, "the suite continues");
}

static void interrupt(struct screen *screen, const struct call *call)
{
    static const struct screen_prompt prompt = {.entered = enter_interrupt};
    const struct lease_process *process = &of(screen)->follow.process;

    (void)call;
    if (process->is_elsewhere && process->pid)
        chrome_say(screen->host->chrome, ROLE_WARNING, "the suite runs on %s: interrupt it there",
                   process->host);
    else if (process->pid)
        screen->host->ops->ask(screen->host, &prompt, screen,
                               "interrupt the suite, which can be resumed (y: yes): ", "");
    else
        chrome_say(screen->host->chrome, ROLE_TEXT, "the suite does not run");
}

/* The index of the command's argument in `names`; without an argument the next index. */
static int turn(struct screen *screen, const struct call *call, const char *const *names, int now)
{
    int count = 0, found = -1;

    for (; names[count]; count++)
        if (strcmp(names[count], call->argument) == 0)
            found = count;
    if (*call->argument && found < 0)
        chrome_say(screen->host->chrome, ROLE_BAD, "%s: no \"%s\"; there is %s, %s, ...",
                   call->row->name, call->argument, names[0], names[1]);
    return *call->argument ? (found < 0 ? now : found) : (now + 1) % count;
}

static void turn_order(struct screen *screen, const struct call *call)
{
    struct suite_screen *suite = of(screen);

    suite->view.order =
        (enum board_order)turn(screen, call, board_order_names, (int)suite->view.order);
    choose(suite);
}

static void turn_group(struct screen *screen, const struct call *call)
{
    struct suite_screen *suite = of(screen);

    suite->view.group =
        (enum board_group)turn(screen, call, board_group_names, (int)suite->view.group);
    choose(suite);
}

static void turn_state(struct screen *screen, const struct call *call)
{
    static const char *const names[] = {"asks",   "failed", "runs", "open",
                                        "queued", "ended",  "all",  NULL};
    struct suite_screen *suite = of(screen);

    suite->view.only = (enum board_state)turn(screen, call, names, (int)suite->view.only);
    suite->list.selected = 0;
    choose(suite);
}

static const struct screen_binding bindings[] = {
    {COMMAND_OPEN_TASK, open_task},
    {COMMAND_RESUME_SUITE, resume},
    {COMMAND_INTERRUPT, interrupt},
    {COMMAND_ORDER, turn_order},
    {COMMAND_GROUP, turn_group},
    {COMMAND_SHOWN, turn_state},
    {0},
};

static bool suite_command(struct screen *screen, const struct call *call)
{
    return screen_call(screen, bindings, call);
}

static unsigned suite_contexts(const struct screen *screen)
{
    (void)screen;
    return CONTEXT_SUITE;
}

static void suite_mouse(struct screen *screen, const struct canvas *canvas, struct mouse mouse)
{
    struct suite_screen *suite = of(screen);
    struct panel_body body = suite_body(screen);

    (void)canvas;
    if (mouse.action != MOUSE_PRESSED)
        screen_scroll(&body, mouse);
    else if (rect_has(&suite->place, mouse.x, mouse.y))
        widget_list_select_at(&suite->list, (size_t)(mouse.y - suite->place.y), body.rows.count);
}

static void suite_close(struct screen *screen)
{
    struct suite_screen *suite = of(screen);

    loop_clear_timer(screen->host->loop, &suite->rest);
    suite_starter_leave(&suite->starter);
    suite_board_release(&suite->board);
    board_view_release(&suite->view);
    suite_follow_close(&suite->follow);
    widget_list_release(&suite->list);
    page_release(&suite->page);
    free(suite);
}

static const struct screen_ops suite_ops = {
    .close = suite_close,
    .draw = suite_draw,
    .contexts = suite_contexts,
    .body = suite_body,
    .command = suite_command,
    .mouse = suite_mouse,
};

enum status screen_suite_open(struct screen_host *host, const char *id, struct error *err)
{
    struct suite_screen *suite = mem_alloc_zeroed(1, sizeof(*suite));
    const struct suite_follow_options options = {
        .loop = host->loop, .suite = id, .changed = on_change, .data = suite};
    enum status st = suite_follow_open(&suite->follow, &options, err);

    suite->screen = (struct screen){&suite_ops, host};
    suite->starter = (struct suite_starter){.host = host, .started = on_resumed, .data = suite};
    suite->view =
        (struct board_view){.follow = &suite->follow, .board = &suite->board, .only = BOARD_STATES};
    suite->is_stale = true;
    if (st)
        suite_close(&suite->screen);
    else
        host->ops->push(host, &suite->screen);
    return st;
}
