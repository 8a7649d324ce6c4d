#include "tui/screens/screen_start.h"

#include <string.h>

#include "core/base/array.h"
#include "core/base/mem.h"
#include "core/model/language.h"
#include "core/system/file.h"
#include "tui/frame/hints.h"
#include "tui/screens/problem_list.h"
#include "tui/screens/session_row.h"
#include "tui/screens/suite/suite_queue.h"
#include "tui/screens/worker_probe.h"

enum { LIST_PROBLEMS, LIST_SESSIONS, LIST_COUNT };

/*
 * Heights of the header, the message and key lines, and a list's heading. If the list of sessions
 * would be lower than LEAST_SESSIONS_H, only the focused list is shown; if the lists would be lower
 * than LEAST_LISTS_H, the settings are left out.
 */
enum { HEADER_H = 1, BELOW_H = 2, LEAST_SESSIONS_H = 5, LEAST_LISTS_H = 4, HEADING_H = 1 };

/* On a screen at least BESIDE_W wide, the selected problem is next to the list, PROBLEM_W wide. */
enum { BESIDE_W = 140, PROBLEM_W = 48 };

/* On a low screen that is at least LISTS_BESIDE_W wide, the sessions are next to the problems. */
enum { LISTS_BESIDE_W = 200, SESSIONS_W = 120 };

struct start {
    struct screen screen;
    struct problem_list problem_list;
    struct session_list sessions;
    struct loop_timer reading; /* reads one session at a time */
    struct widget_list lists[LIST_COUNT];
    /* places of the lists inside their borders, in the last frame */
    struct rect places[LIST_COUNT];
    int focused;
    struct page page; /* the selected problem */
    struct start_settings settings;
    struct worker_probe worker_probe;
    struct suite_queue queue;
};

static const struct screen_ops start_ops;

static struct start *of(struct screen *screen)
{
    return (struct start *)screen;
}

static void select_problem(struct start *start, size_t index)
{
    start->focused = LIST_PROBLEMS;
    pattern_set(&start->lists[LIST_PROBLEMS].filter, "");
    start->lists[LIST_PROBLEMS].selected = index;
}

static void on_worker(void *data)
{
    struct start *start = data;
    struct screen_host *host = start->screen.host;
    struct strbuf *judge = &host->chrome->judge;

    if (start->worker_probe.libraries.len && !judge->len)
        strbuf_addf(judge, "judge: %s", strbuf_cstr(&start->worker_probe.libraries));
    host->ops->changed(host);
}

/* The problem that was read is the last one in the list. */
static void on_model(void *data, const char *path, const struct error *err)
{
    struct start *start = data;
    struct screen_host *host = start->screen.host;
    char key[KEYMAP_KEY_SIZE];

    if (err) {
        chrome_say_error(host->chrome, err);
    } else {
        chrome_say(host->chrome, ROLE_GOOD, "%s was read: %s starts it", path,
                   keymap_key_of(&host->chrome->keymap, COMMAND_START, key));
        select_problem(start, start->problem_list.count - 1);
    }
    host->ops->changed(host);
}

static void open_worker(struct start *start)
{
    struct screen_host *host = start->screen.host;
    const struct worker_probe_options options = {.loop = host->loop,
                                                 .worker = &host->options->evaluator,
                                                 .problem_list = &start->problem_list,
                                                 .settings = &start->settings,
                                                 .changed = on_worker,
                                                 .read = on_model,
                                                 .data = start};

    worker_probe_open(&start->worker_probe, &options);
}

/* Keep the engineer's session selected, and note the best speedup of each problem. */
static void follow_sessions(struct start *start, const char *selected)
{
    size_t found = session_list_find(&start->sessions, selected);

    if (found < start->sessions.count)
        start->lists[LIST_SESSIONS].selected = found;
    problem_list_forget_best(&start->problem_list);
    for (size_t i = 0; i < start->sessions.count; i++)
        problem_list_note_best(&start->problem_list, &start->sessions.items[i]);
}

static void read_session(void *data)
{
    struct start *start = data;
    struct screen_host *host = start->screen.host;
    size_t selected = start->lists[LIST_SESSIONS].selected;
    bool was_anew = start->sessions.is_anew;
    char id[CATALOG_ID_SIZE] = "";

    if (selected < start->sessions.count)
        memcpy(id, start->sessions.items[selected].id, sizeof(id));
    if (!session_list_read(&start->sessions))
        return;
    if (!was_anew)
        problem_list_note_best(&start->problem_list,
                               &start->sessions.items[start->sessions.count - 1]);
    else if (!start->sessions.is_anew)
        follow_sessions(start, id);
    host->ops->changed(host);
    loop_set_timer(host->loop, &start->reading, 0, read_session, start);
}

/* Select the problem of the documents' examples. */
static void select_default(struct start *start)
{
    for (size_t i = 0; i < start->problem_list.count; i++)
        if (strcmp(start->problem_list.items[i].problem.name, "linear_gelu") == 0)
            start->lists[LIST_PROBLEMS].selected = i;
}

void screen_start_open(struct screen_host *host)
{
    struct start *start = mem_alloc_zeroed(1, sizeof(*start));
    struct error err = {0};

    start->screen = (struct screen){&start_ops, host};
    start_settings_open(&start->settings, host);
    start->queue = (struct suite_queue){
        .host = host, .problem_list = &start->problem_list, .settings = &start->settings};
    suite_queue_open(&start->queue);
    problem_list_open(&start->problem_list);
    if (session_list_open(&start->sessions, &err))
        chrome_say(host->chrome, ROLE_WARNING, "%s", err.text);
    select_default(start);
    open_worker(start);
    loop_set_timer(host->loop, &start->reading, 0, read_session, start);
    host->ops->push(host, &start->screen);
}

/* The workers would disturb the timings of the session. */
static void start_session_opened(struct screen *screen)
{
    struct start *start = of(screen);

    if (start->worker_probe.model)
        chrome_say(screen->host->chrome, ROLE_WARNING, "%s was not read: :problem reads it again",
                   start->worker_probe.model);
    worker_probe_close(&start->worker_probe);
}

/* Read the list of sessions again; the same session stays selected. */
static void start_returned(struct screen *screen)
{
    struct start *start = of(screen);
    struct error err = {0};

    if (session_list_reopen(&start->sessions, &err))
        chrome_say_error(screen->host->chrome, &err);
    loop_set_timer(screen->host->loop, &start->reading, 0, read_session, start);
    if (!start->worker_probe.evaluator)
        open_worker(start);
}

static void start_close(struct screen *screen)
{
    struct start *start = of(screen);

    loop_clear_timer(screen->host->loop, &start->reading);
    worker_probe_close(&start->worker_probe);
    suite_queue_release(&start->queue);
    for (int i = 0; i < LIST_COUNT; i++)
        widget_list_release(&start->lists[i]);
    page_release(&start->page);
    problem_list_release(&start->problem_list);
    session_list_release(&start->sessions);
    start_settings_release(&start->settings);
    free(start);
}

static const struct roofs *roofs_of(const struct start *start)
{
    static const struct roofs unknown;
    const struct listed_device *device = start_settings_device(&start->settings);

    return device ? &device->roofs : &unknown;
}

static void put_problem(const void *data, size_t row, struct pen *pen)
{
    const struct start *start = data;

    problem_list_put_row(&start->problem_list.items[row], roofs_of(start), pen);
}

static void put_session(const void *data, size_t row, struct pen *pen)
{
    const struct start *start = data;

    session_row_put(&start->sessions.items[row], pen);
}

static struct panel_body body_of(struct start *start, int list)
{
    bool is_problems = list == LIST_PROBLEMS;

    return (struct panel_body){
        .list = &start->lists[list],
        .rows = {.count = is_problems ? start->problem_list.count : start->sessions.count,
                 .put = is_problems ? put_problem : put_session,
                 .data = start}};
}

static struct panel_body start_body(struct screen *screen)
{
    struct start *start = of(screen);

    return body_of(start, start->focused);
}

static void draw_list(struct start *start, int list, struct area area)
{
    static const char *const names[] = {"Problems", "Sessions"};
    static void (*const put_headings[])(struct pen *) = {problem_list_put_heading,
                                                         session_row_put_heading};
    static void (*const put_nothing[])(const struct keymap *, struct pen *) = {
        problem_list_put_nothing, session_row_put_nothing};
    enum role border = list == start->focused ? ROLE_BORDER_FOCUSED : ROLE_BORDER;
    struct panel_body body = body_of(start, list);
    struct strbuf title = {0};
    struct pen heading, nothing;
    struct area inside;

    strbuf_addf(&title, "%s %zu", names[list], body.rows.count);
    if (body.list->filter.len)
        strbuf_addf(&title, " \\%s", body.list->filter.text);
    inside = area_box(area, strbuf_cstr(&title), border);
    heading = area_pen(inside, 0, 0);
    put_headings[list](&heading);
    inside =
        area_part(inside, (struct rect){0, HEADING_H, inside.rect.w, inside.rect.h - HEADING_H});
    start->places[list] = inside.rect;
    nothing = area_pen(inside, 1, 0);
    if (!body.rows.count)
        put_nothing[list](&start->screen.host->chrome->keymap, &nothing);
    widget_list_draw(body.list, &body.rows, inside);
    widget_list_draw_rest(body.list, body.rows.count, border, area);
    if (list == start->focused)
        area_mark(inside, &start->screen.host->chrome->search, ROLE_MATCH);
    strbuf_release(&title);
}

static void draw_problem(struct start *start, struct area area)
{
    size_t selected = start->lists[LIST_PROBLEMS].selected;
    struct area inside = area_box(area, "Problem", ROLE_BORDER);

    page_clear(&start->page);
    if (selected < start->problem_list.count)
        problem_list_write(&start->problem_list.items[selected], roofs_of(start), &start->page,
                           inside.rect.w);
    page_draw(&start->page, inside);
}

/* Draw the problems and, if there is room, the selected problem next to them. */
static void draw_problems(struct start *start, struct area area)
{
    int w = area.rect.w, h = area.rect.h, beside_w = w >= BESIDE_W ? PROBLEM_W : 0;

    draw_list(start, LIST_PROBLEMS, area_part(area, (struct rect){0, 0, w - beside_w, h}));
    if (beside_w)
        draw_problem(start, area_part(area, (struct rect){w - beside_w, 0, beside_w, h}));
}

/*
 * Draw both lists, below or next to each other, or only the focused one if there is no room for
 * two.
 */
static void draw_lists(struct start *start, struct area area)
{
    int w = area.rect.w, h = area.rect.h, sessions_h = h / 3;

    start->places[LIST_PROBLEMS] = start->places[LIST_SESSIONS] = (struct rect){0};
    if (sessions_h >= LEAST_SESSIONS_H) {
        draw_problems(start, area_part(area, (struct rect){0, 0, w, h - sessions_h}));
        draw_list(start, LIST_SESSIONS,
                  area_part(area, (struct rect){0, h - sessions_h, w, sessions_h}));
    } else if (w >= LISTS_BESIDE_W) {
        draw_problems(start, area_part(area, (struct rect){0, 0, w - SESSIONS_W, h}));
        draw_list(start, LIST_SESSIONS,
                  area_part(area, (struct rect){w - SESSIONS_W, 0, SESSIONS_W, h}));
    } else {
        draw_list(start, start->focused, area);
    }
}

static struct rect start_draw(struct screen *screen, struct canvas *canvas)
{
    static const struct hint hints[] = {
        {"start", NULL, .rank = 2},
        {"problem", "open a file", .rank = 3},
        {"help", NULL, .rank = 1},
        {"quit", "leave", .rank = 0},
        {"next-pane", "other list", .rank = 4},
        {"select", "mark", .rank = 5},
        {"run-suite", "run marked", .rank = 5},
        {"sessions", NULL, .rank = 5},
        {"suites", NULL, .rank = 6},
        {"inbox", NULL, .rank = 6},
        {"review", "recommendations", .rank = 7},
        {"search", NULL, .rank = 6},
    };
    struct start *start = of(screen);
    int w = canvas->w, room = canvas->h - HEADER_H - BELOW_H;
    int lists_h = room < LEAST_LISTS_H + SETTINGS_H ? room : room - SETTINGS_H;
    struct area header = canvas_area(canvas, (struct rect){0, 0, w, HEADER_H});
    struct pen pen = area_pen(header, 1, 0);
    char key[KEYMAP_KEY_SIZE];

    pen_puts(&pen, ROLE_STRONG, "kforge");
    pen_putf(&pen, ROLE_HEADER, " | choose what to work on: %s starts it",
             keymap_key_of(&screen->host->chrome->keymap, COMMAND_START, key));
    area_paint(header, ROLE_HEADER);
    draw_lists(start, canvas_area(canvas, (struct rect){0, HEADER_H, w, lists_h}));
    if (lists_h < room)
        start_settings_draw(
            &start->settings,
            canvas_area(canvas, (struct rect){0, HEADER_H + lists_h, w, SETTINGS_H}));
    hints_draw(&screen->host->chrome->keymap, hints, COUNT(hints),
               canvas_area(canvas, (struct rect){0, canvas->h - 1, w, 1}));
    return (struct rect){0, canvas->h - 2, w, 1};
}

/*
 * The driver options of the current choice; borrowed from `start`. The session takes over the
 * worker that read a PyTorch file.
 */
static struct driver_options options_of(const struct start *start)
{
    struct driver_options options = start_settings_options(&start->settings);
    size_t problem = start->lists[LIST_PROBLEMS].selected;
    size_t session = start->lists[LIST_SESSIONS].selected;

    if (start->focused == LIST_SESSIONS && session < start->sessions.count)
        options.resume = start->sessions.items[session].id;
    else if (problem < start->problem_list.count)
        options.problem_path = start->problem_list.items[problem].path;
    options.problem_text = options.problem_path ? start->problem_list.items[problem].text : NULL;
    options.earlier = start->worker_probe.reader;
    return options;
}

/* Start a session. After an error the first screen stays as it is. */
static void begin(struct screen *screen, const struct call *call)
{
    struct screen_host *host = screen->host;
    const struct driver_options options = options_of(of(screen));
    struct error err = {0};

    (void)call;
    if (!options.problem_path && !options.resume)
        chrome_say(host->chrome, ROLE_WARNING, "nothing is selected: :problem opens a file");
    else if (host->ops->open_session(host, &options, &err))
        chrome_say_error(host->chrome, &err);
}

/* Open a PyTorch file. A worker reads it, because its code must run contained. */
static void open_model(struct start *start, const char *path)
{
    struct chrome *chrome = start->screen.host->chrome;

    if (worker_probe_read_model(&start->worker_probe, path))
        chrome_say(chrome, ROLE_WAITING, "reading %s ...", path);
    else
        chrome_say(chrome, ROLE_WARNING, "%s is still being read", start->worker_probe.model);
}

/* Add a problem's file to the end of the list, or read it again, and select it. */
static enum status show_problem(struct start *start, const char *path, struct error *err)
{
    struct problem_list *problem_list = &start->problem_list;
    size_t index = problem_list_find(problem_list, path);
    enum status st = index < problem_list->count ? problem_list_read_again(problem_list, index, err)
                                                 : problem_list_add(problem_list, path, NULL, err);

    if (st)
        return st;
    select_problem(start, index);
    worker_probe_lint_again(&start->worker_probe, index);
    return STATUS_OK;
}

static void open_problem(struct screen *screen, const struct call *call)
{
    struct start *start = of(screen);
    struct screen_host *host = screen->host;
    const char *path = call->argument;
    struct error err = {0};

    if (!*path) {
        host->ops->ask_for_command(host, "problem ");
    } else if (file_has_ending(path, ".py")) { /* a model; kernels may have the same ending */
        open_model(start, path);
    } else if (language_of_file(path)) {
        chrome_say(host->chrome, ROLE_WARNING,
                   "%s is a kernel, not a problem: kforge eval PROBLEM %s judges it", path, path);
    } else if (show_problem(start, path, &err)) {
        chrome_say_error(host->chrome, &err);
    }
}

/* Focus the other list. There are two lists, so next and previous are the same. */
static void focus_other_list(struct screen *screen, const struct call *call)
{
    struct start *start = of(screen);

    (void)call;
    start->focused = (start->focused + 1) % LIST_COUNT;
}

static const struct screen_binding bindings[] = {
    {COMMAND_START, begin},
    {COMMAND_PROBLEM, open_problem},
    {COMMAND_NEXT_PANE, focus_other_list},
    {COMMAND_PREVIOUS_PANE, focus_other_list},
    {0},
};

static bool start_command(struct screen *screen, const struct call *call)
{
    struct start *start = of(screen);
    bool is_problems = start->focused == LIST_PROBLEMS;

    return screen_call(screen, bindings, call) ||
           suite_queue_command(&start->queue, call, is_problems ? &start->lists[0] : NULL) ||
           start_settings_command(&start->settings, call);
}

/* Handle the mouse, by the places in the last frame, which the engineer sees. */
static void start_mouse(struct screen *screen, const struct canvas *canvas, struct mouse mouse)
{
    struct start *start = of(screen);

    (void)canvas;
    for (int i = 0; i < LIST_COUNT; i++) {
        const struct rect *place = &start->places[i];
        struct panel_body body = body_of(start, i);

        if (!rect_has(place, mouse.x, mouse.y))
            continue;
        start->focused = i;
        if (mouse.action == MOUSE_PRESSED)
            widget_list_select_at(body.list, (size_t)(mouse.y - place->y), body.rows.count);
        else
            screen_scroll(&body, mouse);
    }
}

static unsigned start_contexts(const struct screen *screen)
{
    (void)screen;
    return CONTEXT_START;
}

static const struct screen_ops start_ops = {
    .close = start_close,
    .draw = start_draw,
    .contexts = start_contexts,
    .body = start_body,
    .command = start_command,
    .mouse = start_mouse,
    .session_opened = start_session_opened,
    .returned = start_returned,
};
