#include "tui/app/app_state.h"

#include <string.h>

#include "core/base/mem.h"
#include "core/system/file.h"
#include "core/system/loop.h"
#include "tui/frame/status_bars.h"
#include "tui/screens/problem_list.h"
#include "tui/screens/session_row.h"
#include "tui/screens/worker_probe.h"

/*
 * The first screen: which problem, on which device, by which agent, decided
 * by whom; or which session to go on with.  Everything is chosen already, so
 * that Enter alone starts.
 */

enum { LIST_PROBLEMS, LIST_SESSIONS, LIST_COUNT };

/*
 * Lines of the screen that are not the lists': header, message and status; and a heading.  Where a
 * list would not have a row, it has the settings' place too.
 */
enum { HEADER_H = 1, BELOW_H = 2, LEAST_SESSIONS_H = 5, LEAST_LISTS_H = 4, HEADING_H = 1 };

/* From which width on the problem that is selected stands beside the list, and how wide. */
enum { BESIDE_W = 140, PROBLEM_W = 48 };

struct start {
    struct screen screen;
    struct problem_list problem_list;
    struct session_list sessions;
    struct loop_timer reading; /* of the sessions, one after the other */
    struct widget_list lists[LIST_COUNT];
    struct rect places[LIST_COUNT]; /* inside their borders, as they were drawn last */
    int focused;
    struct page page; /* the problem that is selected */
    struct start_settings settings;
    struct worker_probe worker_probe;
};

static const struct screen_ops start_ops;

/* The worker. */

static void select_last(struct start *start)
{
    start->focused = LIST_PROBLEMS;
    pattern_set(&start->lists[LIST_PROBLEMS].filter, "");
    start->lists[LIST_PROBLEMS].selected = start->problem_list.count - 1;
}

static void hear_survey(void *data)
{
    struct start *start = data;
    struct strbuf *judge = &start->screen.app->chrome.judge;

    if (start->worker_probe.libraries.len && !judge->len)
        strbuf_addf(judge, "judge: %s", strbuf_cstr(&start->worker_probe.libraries));
    app_changed(start->screen.app);
}

/* What was read is the last problem. */
static void hear_model(void *data, const char *path, const struct error *err)
{
    struct start *start = data;
    struct app *app = start->screen.app;

    if (err) {
        chrome_say(&app->chrome, ROLE_BAD, "%s", err->text);
    } else {
        chrome_say(&app->chrome, ROLE_GOOD, "%s is read: Enter starts", path);
        select_last(start);
    }
    app_changed(app);
}

static void open_survey(struct start *start)
{
    struct app *app = start->screen.app;
    const struct worker_probe_options options = {.loop = app->loop,
                                                 .worker = &app->driver_options.evaluator,
                                                 .problem_list = &start->problem_list,
                                                 .settings = &start->settings,
                                                 .changed = hear_survey,
                                                 .read = hear_model,
                                                 .data = start};

    worker_probe_open(&start->worker_probe, &options);
}

/* Opening. */

static void read_session(void *data)
{
    struct start *start = data;

    if (!session_list_read(&start->sessions))
        return;
    problem_list_note_best(&start->problem_list, &start->sessions.items[start->sessions.count - 1]);
    app_changed(start->screen.app);
    loop_set_timer(start->screen.app->loop, &start->reading, 0, read_session, start);
}

/* The problem that every introduction uses is the one that Enter starts. */
static void select_usual(struct start *start)
{
    for (size_t i = 0; i < start->problem_list.count; i++)
        if (strcmp(start->problem_list.items[i].problem.name, "linear_gelu") == 0)
            start->lists[LIST_PROBLEMS].selected = i;
}

void screen_start_open(struct app *app)
{
    struct start *start = mem_alloc_zeroed(1, sizeof(*start));
    struct error err = {0};

    start->screen = (struct screen){&start_ops, app};
    start_settings_open(&start->settings, &app->driver_options, app->tolerance);
    problem_list_open(&start->problem_list);
    if (session_list_open(&start->sessions, &err))
        chrome_say(&app->chrome, ROLE_WARNING, "%s", err.text);
    select_usual(start);
    open_survey(start);
    loop_set_timer(app->loop, &start->reading, 0, read_session, start);
    app_push(app, &start->screen);
}

static void start_close(struct screen *screen)
{
    struct start *start = (struct start *)screen;

    loop_clear_timer(screen->app->loop, &start->reading);
    worker_probe_close(&start->worker_probe);
    for (int i = 0; i < LIST_COUNT; i++)
        widget_list_release(&start->lists[i]);
    page_release(&start->page);
    problem_list_release(&start->problem_list);
    session_list_release(&start->sessions);
    start_settings_release(&start->settings);
    free(start);
}

/* The lists. */

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
    struct start *start = (struct start *)screen;

    return body_of(start, start->focused);
}

/* Drawing. */

static void draw_nothing(int list, struct area area)
{
    static const char *const texts[] = {"No problem here: o opens a file.",
                                        "None yet: Enter starts one."};
    struct pen pen = area_pen(area, 1, 0);

    pen_puts(&pen, ROLE_DIM, texts[list]);
}

static void draw_list(struct start *start, int list, struct area area)
{
    static const char *const names[] = {"Problems", "Sessions"};
    static void (*const put_headings[])(struct pen *) = {problem_list_put_heading,
                                                         session_row_put_heading};
    enum role border = list == start->focused ? ROLE_BORDER_FOCUSED : ROLE_BORDER;
    struct panel_body body = body_of(start, list);
    struct strbuf title = {0};
    struct pen heading;
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
    if (!body.rows.count)
        draw_nothing(list, inside);
    widget_list_draw(body.list, &body.rows, inside);
    if (list == start->focused)
        area_mark(inside, &start->screen.app->chrome.search, ROLE_MATCH);
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

/* With the one that is selected beside them, where there is room. */
static void draw_problems(struct start *start, struct area area)
{
    int w = area.rect.w, h = area.rect.h, beside_w = w >= BESIDE_W ? PROBLEM_W : 0;

    draw_list(start, LIST_PROBLEMS, area_part(area, (struct rect){0, 0, w - beside_w, h}));
    if (beside_w)
        draw_problem(start, area_part(area, (struct rect){w - beside_w, 0, beside_w, h}));
}

/* Without room for both lists, the one that has the focus. */
static void draw_lists(struct start *start, struct area area)
{
    int w = area.rect.w, h = area.rect.h, sessions_h = h / 3;

    start->places[LIST_PROBLEMS] = start->places[LIST_SESSIONS] = (struct rect){0};
    if (sessions_h < LEAST_SESSIONS_H) {
        draw_list(start, start->focused, area);
        return;
    }
    draw_problems(start, area_part(area, (struct rect){0, 0, w, h - sessions_h}));
    draw_list(start, LIST_SESSIONS,
              area_part(area, (struct rect){0, h - sessions_h, w, sessions_h}));
}

static struct rect start_draw(struct screen *screen, struct canvas *canvas)
{
    struct start *start = (struct start *)screen;
    int w = canvas->w, room = canvas->h - HEADER_H - BELOW_H;
    int lists_h = room < LEAST_LISTS_H + SETTINGS_H ? room : room - SETTINGS_H;
    struct area header = canvas_area(canvas, (struct rect){0, 0, w, HEADER_H});
    struct pen pen = area_pen(header, 1, 0);

    pen_puts(&pen, ROLE_STRONG, "kforge");
    pen_puts(&pen, ROLE_HEADER, " | choose what to work on: Enter starts it");
    area_paint(header, ROLE_HEADER);
    draw_lists(start, canvas_area(canvas, (struct rect){0, HEADER_H, w, lists_h}));
    if (lists_h < room)
        start_settings_draw(
            &start->settings,
            canvas_area(canvas, (struct rect){0, HEADER_H + lists_h, w, SETTINGS_H}));
    status_bars_draw_keys(
        "Enter start  o open a file  ? help  q leave  Tab other list  S sessions  "
        "R recommendations  / search",
        canvas_area(canvas, (struct rect){0, canvas->h - 1, w, 1}));
    return (struct rect){0, canvas->h - 2, w, 1};
}

/* Commands. */

/* What was chosen; borrowed from `start`. */
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
    return options;
}

/* What cannot be started leaves the first screen as it is. */
static void begin(struct start *start)
{
    struct app *app = start->screen.app;
    const struct driver_options options = options_of(start);
    struct error err = {0};

    if (!options.problem_path && !options.resume)
        chrome_say(&app->chrome, ROLE_WARNING,
                   "nothing is selected: o opens the file of a problem");
    else if (app_open_live(app, &options, &err))
        chrome_say(&app->chrome, ROLE_BAD, "%s", err.text);
}

static void set_agent(struct app *app, const char *name)
{
    if (*name)
        start_settings_set_agent(&((struct start *)app_top(app))->settings, name);
}

/* One that was read keeps the tolerance that it was read with. */
static void set_tolerance(struct start *start, const char *name)
{
    struct error err = {0};

    if (start_settings_set_tolerance(&start->settings, name, &err))
        chrome_say(&start->screen.app->chrome, ROLE_BAD, "%s", err.text);
}

static void set_limits(struct app *app, const char *text)
{
    struct error err = {0};

    if (start_settings_set_limits(&((struct start *)app_top(app))->settings, text, &err))
        chrome_say(&app->chrome, ROLE_BAD, "%s", err.text);
}

static void ask_for_agent(struct start *start)
{
    static const struct app_prompt prompt = {.line = {.history = "agents"}, .entered = set_agent};

    app_ask(start->screen.app, &prompt, "agent: ", start->settings.agent);
}

static void ask_for_limits(struct start *start)
{
    static const struct app_prompt prompt = {.line = {.history = "limits"}, .entered = set_limits};
    struct strbuf limits = {0};

    start_settings_add_limits(&start->settings, &limits);
    app_ask(start->screen.app, &prompt, "limits: ", strbuf_cstr(&limits));
    strbuf_release(&limits);
}

/* The worker reads it. */
static void open_model(struct start *start, const char *path)
{
    struct app *app = start->screen.app;

    if (worker_probe_read_model(&start->worker_probe, path))
        chrome_say(&app->chrome, ROLE_WAITING, "reading %s ...", path);
    else
        chrome_say(&app->chrome, ROLE_WARNING, "%s is still being read", start->worker_probe.model);
}

/* A file of the engineer's is the last in the list, and selected. */
static void open_problem(struct start *start, const char *path)
{
    struct app *app = start->screen.app;
    struct error err = {0};

    if (!*path) {
        app_ask_for_command(app, "problem ");
    } else if (file_has_ending(path, ".py")) {
        open_model(start, path);
    } else if (problem_list_add(&start->problem_list, path, NULL, &err)) {
        chrome_say(&app->chrome, ROLE_BAD, "%s", err.text);
    } else {
        select_last(start);
        worker_probe_go_on(&start->worker_probe);
    }
}

/* What is edited in place; with an argument it is not asked for. */
static bool edit_setting(struct start *start, const struct call *call)
{
    struct app *app = start->screen.app;
    const char *argument = call->argument;

    switch ((int)call->row->command) {
    case COMMAND_DEVICE:
        start_settings_turn_device(&start->settings);
        return true;
    case COMMAND_PRESET:
        start_settings_turn_policy(&start->settings);
        return true;
    case COMMAND_TOLERANCE:
        set_tolerance(start, argument);
        return true;
    case COMMAND_AGENT:
        if (*argument)
            set_agent(app, argument);
        else
            ask_for_agent(start);
        return true;
    case COMMAND_LIMITS:
        if (*argument)
            set_limits(app, argument);
        else
            ask_for_limits(start);
        return true;
    default:
        return false;
    }
}

static bool start_command(struct screen *screen, const struct call *call)
{
    struct start *start = (struct start *)screen;

    switch ((int)call->row->command) {
    case COMMAND_START:
        begin(start);
        return true;
    case COMMAND_PROBLEM:
        open_problem(start, call->argument);
        return true;
    case COMMAND_NEXT_PANE:
    case COMMAND_PREVIOUS_PANE:
        start->focused = (start->focused + 1) % LIST_COUNT;
        return true;
    default:
        return edit_setting(start, call);
    }
}

/* The places are those of the frame drawn last. */
static void start_mouse(struct screen *screen, const struct canvas *canvas, struct mouse mouse)
{
    struct start *start = (struct start *)screen;

    (void)canvas;
    for (int i = 0; i < LIST_COUNT; i++) {
        const struct rect *place = &start->places[i];
        struct panel_body body = body_of(start, i);
        int y = mouse.y - place->y;

        if (mouse.x < place->x || mouse.x >= place->x + place->w || y < 0 || y >= place->h)
            continue;
        start->focused = i;
        if (mouse.action == MOUSE_PRESSED)
            widget_list_select_at(body.list, (size_t)y, body.rows.count);
        else
            panel_body_move(&body, mouse.action == MOUSE_WHEEL_UP ? COMMAND_UP : COMMAND_DOWN);
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
};
