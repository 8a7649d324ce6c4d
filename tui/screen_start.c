#include "tui/app_state.h"

#include <string.h>

#include "core/base/format.h"
#include "core/base/json.h"
#include "core/base/loop.h"
#include "core/base/mem.h"
#include "core/base/vec.h"
#include "tui/bar.h"
#include "tui/offer.h"
#include "tui/session_row.h"

/*
 * The first screen: which problem, on which device, by which agent, decided
 * by whom; or which session to go on with.  Everything is chosen already, so
 * that Enter alone starts.
 */

enum { LIST_PROBLEMS, LIST_SESSIONS, LIST_COUNT };

static const char *const policies[] = {"guided", "manual", "auto"};

enum { POLICY_COUNT = 3 };

/* Lines of the screen that are not the lists': header, choices, message and status. */
enum { HEADER_H = 1, CHOICES_H = 2, BELOW_H = 2, LEAST_SESSIONS_H = 5 };

struct start {
    struct screen screen;
    struct offer offer;
    struct session_list sessions;
    struct loop_timer reading; /* of the sessions, one after the other */
    struct widget_list lists[LIST_COUNT];
    struct rect places[LIST_COUNT]; /* inside their borders, as they were drawn last */
    int focused;

    struct evaluator *evaluator; /* knows the devices */
    struct device_list devices;
    char *device_trouble; /* why they are not known; NULL: nothing is wrong */
    size_t device;
    size_t policy; /* in `policies`; POLICY_COUNT: none of them */
    char *agent;
};

static const struct screen_ops start_ops;

/* Devices. */

static enum status read_devices(struct start *start, const struct json *answer, struct error *err)
{
    struct json_ref root = json_ref_root(answer, "worker");
    struct json_ref list = json_ref_member(&root, "devices");
    enum status st = STATUS_OK;

    for (struct json_ref at = json_ref_first(&list); !st && at.value; at = json_ref_next(&at)) {
        struct device_info device = {0};

        st = device_info_decode(&device, &at, err);
        if (!st)
            vec_push(&start->devices, device);
    }
    return st;
}

static void hear_failed(void *data, const struct error *err)
{
    struct start *start = data;

    free(start->device_trouble);
    start->device_trouble = mem_strdup(err->text);
    app_changed(start->screen.app);
}

static void hear_devices(void *data, const struct json *answer)
{
    struct start *start = data;
    struct error err = {0};

    if (read_devices(start, answer, &err))
        hear_failed(start, &err);
    app_changed(start->screen.app);
}

static void ask_for_devices(struct start *start)
{
    const struct evaluator_listener listener = {
        .answered = hear_devices, .failed = hear_failed, .data = start};
    struct error err = {0};
    enum status st =
        evaluator_open(start->screen.app->loop, &start->screen.app->driver_options.evaluator,
                       &listener, &start->evaluator, &err);

    if (!st)
        st = evaluator_ask(start->evaluator, "devices", json_object_new(), &err);
    if (st)
        start->device_trouble = mem_strdup(err.text);
}

/* Opening. */

static void read_session(void *data)
{
    struct start *start = data;

    if (!session_list_read(&start->sessions))
        return;
    offer_note_best(&start->offer, &start->sessions.items[start->sessions.count - 1]);
    app_changed(start->screen.app);
    loop_set_timer(start->screen.app->loop, &start->reading, 0, read_session, start);
}

/* The problem that every introduction uses is the one that Enter starts. */
static void select_usual(struct start *start)
{
    for (size_t i = 0; i < start->offer.count; i++)
        if (strcmp(start->offer.items[i].name, "linear_gelu") == 0)
            start->lists[LIST_PROBLEMS].selected = i;
}

static size_t policy_of(const struct gate *gate)
{
    size_t policy = 0;
    struct gate preset;

    while (policy < POLICY_COUNT && gate_preset(policies[policy], &preset) &&
           memcmp(&preset, gate, sizeof(preset)) != 0)
        policy++;
    return policy;
}

void screen_start_open(struct app *app)
{
    struct start *start = mem_alloc_zeroed(1, sizeof(*start));
    struct error err = {0};

    *start = (struct start){.screen = {&start_ops, app},
                            .policy = policy_of(&app->driver_options.gate),
                            .agent = mem_strdup(app->driver_options.agent)};
    offer_open(&start->offer);
    if (session_list_open(&start->sessions, &err))
        view_say(&app->view, ROLE_WARNING, "%s", err.text);
    select_usual(start);
    ask_for_devices(start);
    loop_set_timer(app->loop, &start->reading, 0, read_session, start);
    app_push(app, &start->screen);
}

static void start_close(struct screen *screen)
{
    struct start *start = (struct start *)screen;

    loop_clear_timer(start->screen.app->loop, &start->reading);
    evaluator_close(start->evaluator);
    device_list_release(&start->devices);
    for (int i = 0; i < LIST_COUNT; i++)
        widget_list_release(&start->lists[i]);
    offer_release(&start->offer);
    session_list_release(&start->sessions);
    free(start->device_trouble);
    free(start->agent);
    free(start);
}

/* The lists. */

static void put_problem(const void *data, size_t row, struct pen *pen)
{
    const struct start *start = data;
    const struct offered_problem *problem = &start->offer.items[row];
    char speedup[FORMAT_SIZE];

    pen_putf(pen, ROLE_STRONG, "%-22s ", problem->name);
    pen_putf(pen, problem->best_speedup > 0 ? ROLE_GOOD : ROLE_DIM, "%6s  ",
             format_speedup(speedup, problem->best_speedup));
    pen_putf(pen, ROLE_DIM, "%-28s  ", problem->dims);
    pen_puts(pen, ROLE_TEXT, problem->summary ? problem->summary : "");
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
        .rows = {.count = is_problems ? start->offer.count : start->sessions.count,
                 .put = is_problems ? put_problem : put_session,
                 .data = start}};
}

static struct panel_body start_body(struct screen *screen)
{
    struct start *start = (struct start *)screen;

    return body_of(start, start->focused);
}

/* Drawing. */

static void draw_list(struct start *start, int list, const struct pattern *search, struct area area)
{
    static const char *const names[] = {"Problems", "Sessions"};
    enum role border = list == start->focused ? ROLE_BORDER_FOCUSED : ROLE_BORDER;
    struct panel_body body = body_of(start, list);
    struct strbuf title = {0};
    struct area inside;

    strbuf_addf(&title, "%s %zu", names[list], body.rows.count);
    if (body.list->filter.len)
        strbuf_addf(&title, " \\%s", body.list->filter.text);
    inside = area_box(area, strbuf_cstr(&title), border);
    start->places[list] = inside.rect;
    widget_list_draw(body.list, &body.rows, inside);
    if (list == start->focused)
        area_mark(inside, search, ROLE_MATCH);
    strbuf_release(&title);
}

static void put_choice(struct pen *pen, const char *key, const char *name, const char *value)
{
    pen_putf(pen, ROLE_KEY, "%s ", key);
    pen_putf(pen, ROLE_BAR, "%s ", name);
    pen_putf(pen, ROLE_STRONG, "%s   ", value);
}

static void put_device(const struct start *start, struct pen *pen)
{
    const struct device_info *device = &start->devices.items[start->device];
    struct strbuf text = {0};

    if (start->devices.count)
        strbuf_addf(&text, "%s, %s", device->id, device->name);
    else
        strbuf_adds(&text, start->device_trouble ? start->device_trouble : "asking the worker ...");
    put_choice(pen, "d", "device", strbuf_cstr(&text));
    strbuf_release(&text);
}

static const char *policy_text(const struct start *start)
{
    return start->policy < POLICY_COUNT ? policies[start->policy] : "as given";
}

static void draw_choices(const struct start *start, struct area area)
{
    struct pen pen = area_pen(area, 1, 0);

    put_device(start, &pen);
    pen = area_pen(area, 1, 1);
    put_choice(&pen, "a", "agent", start->agent);
    put_choice(&pen, "p", "policy", policy_text(start));
    pen_putf(&pen, ROLE_BAR, "at most %u attempts until one is correct, then %u",
             start->screen.app->driver_options.limits.functional,
             start->screen.app->driver_options.limits.optimize);
}

/* Without room for both lists, the one that has the focus. */
static void draw_lists(struct start *start, const struct pattern *search, struct area area)
{
    int sessions_h = area.rect.h / 3;

    start->places[LIST_PROBLEMS] = start->places[LIST_SESSIONS] = (struct rect){0};
    if (sessions_h < LEAST_SESSIONS_H) {
        draw_list(start, start->focused, search, area);
        return;
    }
    draw_list(start, LIST_PROBLEMS, search,
              area_part(area, (struct rect){0, 0, area.rect.w, area.rect.h - sessions_h}));
    draw_list(start, LIST_SESSIONS, search,
              area_part(area, (struct rect){0, area.rect.h - sessions_h, area.rect.w, sessions_h}));
}

static struct rect start_draw(struct screen *screen, struct canvas *canvas)
{
    struct start *start = (struct start *)screen;
    const struct pattern *search = &screen->app->view.search;
    int w = canvas->w, lists_h = canvas->h - HEADER_H - CHOICES_H - BELOW_H;
    struct area header = canvas_area(canvas, (struct rect){0, 0, w, HEADER_H});
    struct pen pen = area_pen(header, 1, 0);

    pen_puts(&pen, ROLE_STRONG, "kforge");
    pen_puts(&pen, ROLE_HEADER, " | choose what to work on: Enter starts it");
    area_paint(header, ROLE_HEADER);
    draw_lists(start, search, canvas_area(canvas, (struct rect){0, HEADER_H, w, lists_h}));
    draw_choices(start, canvas_area(canvas, (struct rect){0, HEADER_H + lists_h, w, CHOICES_H}));
    bar_draw_keys("Enter start  Tab other list  / search  \\ filter  ? help  q leave",
                  canvas_area(canvas, (struct rect){0, canvas->h - 1, w, 1}));
    return (struct rect){0, canvas->h - 2, w, 1};
}

/* Commands. */

/* What was chosen; borrowed from `start`. */
static struct driver_options options_of(const struct start *start)
{
    struct driver_options options = start->screen.app->driver_options;
    const struct offer *offer = &start->offer;
    size_t problem = start->lists[LIST_PROBLEMS].selected;
    size_t session = start->lists[LIST_SESSIONS].selected;

    options.agent = start->agent;
    if (start->devices.count)
        options.evaluator.device = start->devices.items[start->device].id;
    if (start->policy < POLICY_COUNT)
        gate_preset(policies[start->policy], &options.gate);
    if (start->focused == LIST_SESSIONS && session < start->sessions.count)
        options.resume = start->sessions.items[session].id;
    else if (problem < offer->count)
        options.problem_path = offer->items[problem].path;
    return options;
}

/* What cannot be started leaves the first screen as it is. */
static void begin(struct start *start)
{
    struct app *app = start->screen.app;
    const struct driver_options options = options_of(start);
    struct error err = {0};

    if (app_open_live(app, &options, &err))
        view_say(&app->view, ROLE_BAD, "%s", err.text);
}

static void set_agent(struct app *app, const char *name)
{
    struct start *start = (struct start *)app_top(app);

    if (!*name)
        return;
    free(start->agent);
    start->agent = mem_strdup(name);
}

static void set_or_ask_agent(struct start *start, const char *name)
{
    static const struct app_prompt prompt = {.line = {.history = "agents"}, .entered = set_agent};

    if (*name)
        set_agent(start->screen.app, name);
    else
        app_ask(start->screen.app, &prompt, "agent: ", "");
}

static bool start_command(struct screen *screen, const struct call *call)
{
    struct start *start = (struct start *)screen;

    switch ((int)call->row->command) {
    case COMMAND_START:
        begin(start);
        return true;
    case COMMAND_NEXT_PANE:
    case COMMAND_PREVIOUS_PANE:
        start->focused = (start->focused + 1) % LIST_COUNT;
        return true;
    case COMMAND_DEVICE:
        if (start->devices.count)
            start->device = (start->device + 1) % start->devices.count;
        return true;
    case COMMAND_PRESET:
        start->policy = (start->policy + 1) % POLICY_COUNT;
        return true;
    case COMMAND_AGENT:
        set_or_ask_agent(start, call->argument);
        return true;
    default:
        return false;
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
