#include "tui/screens/screen_sessions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/mem.h"
#include "core/base/vec.h"
#include "tui/frame/hints.h"
#include "tui/screens/screen_replay.h"
#include "tui/screens/screen_review.h"
#include "tui/screens/session_actions.h"
#include "tui/screens/session_row.h"

/* Heights of the header, the message and key lines, and the heading. */
enum { HEADER_H = 1, BELOW_H = 2, HEADING_H = 1 };

enum order { ORDER_LATEST, ORDER_SPEEDUP, ORDER_COST, ORDER_COUNT };

static const char *const order_names[ORDER_COUNT] = {
    [ORDER_LATEST] = "latest first",
    [ORDER_SPEEDUP] = "fastest first",
    [ORDER_COST] = "most expensive first",
};

struct sessions_screen {
    struct screen screen;
    struct session_list sessions;
    struct loop_timer reading;
    enum order order;
    struct {
        size_t *items; /* indices into `sessions`, in order */
        size_t count, capacity;
    } rows;
    struct widget_list list;
    struct rect place; /* place of the list in the last frame */
};

static double weight_of(const struct listed_session *session, enum order order)
{
    switch (order) {
    case ORDER_SPEEDUP:
        return session->best_speedup;
    case ORDER_COST:
        return session->usd;
    case ORDER_LATEST:
    case ORDER_COUNT:
        break;
    }
    return 0;
}

static int compare_rows(const void *a, const void *b, void *data)
{
    const struct sessions_screen *screen = data;
    const struct listed_session *one = &screen->sessions.items[*(const size_t *)a];
    const struct listed_session *other = &screen->sessions.items[*(const size_t *)b];
    double difference = weight_of(other, screen->order) - weight_of(one, screen->order);

    if (difference != 0)
        return difference > 0 ? 1 : -1;
    return strcmp(other->at, one->at);
}

static void sort_rows(struct sessions_screen *screen)
{
    screen->rows.count = 0;
    for (size_t i = 0; i < screen->sessions.count; i++)
        vec_push(&screen->rows, i);
    if (screen->rows.count)
        qsort_r(screen->rows.items, screen->rows.count, sizeof(*screen->rows.items), compare_rows,
                screen);
}

/*
 * Sort the rows; the same session stays selected. While the list is read for the first time, the
 * first row stays selected.
 */
static void sort_again(struct sessions_screen *screen, const char *id)
{
    size_t index = session_list_find(&screen->sessions, id);

    sort_rows(screen);
    for (size_t row = 0; row < screen->rows.count; row++)
        if (screen->rows.items[row] == index)
            screen->list.selected = row;
}

static const struct listed_session *session_at(const struct sessions_screen *screen, size_t row)
{
    return row < screen->rows.count ? &screen->sessions.items[screen->rows.items[row]] : NULL;
}

/* The selected session; NULL if none is listed. */
static const struct listed_session *selected(const struct screen *screen)
{
    const struct sessions_screen *sessions = (const struct sessions_screen *)screen;

    return session_at(sessions, sessions->list.selected);
}

static void put_row(const void *data, size_t row, struct pen *pen)
{
    session_row_put(session_at(data, row), pen);
}

static struct panel_body sessions_body(struct screen *screen)
{
    struct sessions_screen *sessions = (struct sessions_screen *)screen;

    return (struct panel_body){
        .list = &sessions->list,
        .rows = {.count = sessions->rows.count, .put = put_row, .data = sessions}};
}

static void read_session(void *data)
{
    struct sessions_screen *screen = data;
    struct screen_host *host = screen->screen.host;
    const struct listed_session *session = selected(&screen->screen);
    char id[CATALOG_ID_SIZE] = "";
    bool is_anew;

    if (session)
        memcpy(id, session->id, sizeof(id));
    is_anew = screen->sessions.is_anew;
    if (!session_list_read(&screen->sessions))
        return;
    if (is_anew || screen->list.selected)
        sort_again(screen, id);
    else
        sort_rows(screen);
    host->ops->changed(host);
    loop_set_timer(host->loop, &screen->reading, 0, read_session, screen);
}

static void draw_header(const struct sessions_screen *screen, struct area area)
{
    struct pen pen = area_pen(area, 1, 0);

    pen_puts(&pen, ROLE_STRONG, "sessions");
    pen_putf(&pen, ROLE_HEADER, " | %zu, %s", screen->sessions.count, order_names[screen->order]);
    if (screen->list.filter.len)
        pen_putf(&pen, ROLE_KEY, " | \\%s", screen->list.filter.text);
    area_paint(area, ROLE_HEADER);
}

static void draw_nothing(const struct sessions_screen *screen, struct area area)
{
    const struct keymap *keymap = &screen->screen.host->chrome->keymap;
    struct pen pen = area_pen(area, 1, 1);
    char back[KEYMAP_KEY_SIZE], start[KEYMAP_KEY_SIZE];

    if (screen->sessions.unread_count)
        pen_puts(&pen, ROLE_DIM, "Reading sessions ...");
    else
        pen_putf(&pen, ROLE_DIM, "No session yet: %s goes back, and %s there starts one.",
                 keymap_key_of(keymap, COMMAND_QUIT, back),
                 keymap_key_of(keymap, COMMAND_START, start));
}

static struct rect sessions_draw(struct screen *screen, struct canvas *canvas)
{
    static const struct hint hints[] = {
        {"open-session", "open", .rank = 2},
        {"replay", NULL, .rank = 3},
        {"branch-off", "fork", .rank = 4},
        {"export", NULL, .rank = 5},
        {"advice", "recommendations", .rank = 6},
        {"sort", "order", .rank = 5},
        {"filter", "narrow", .rank = 4},
        {"help", NULL, .rank = 1},
        {"quit", "back", .rank = 0},
    };
    struct sessions_screen *sessions = (struct sessions_screen *)screen;
    struct panel_body body = sessions_body(screen);
    int w = canvas->w, h = canvas->h - HEADER_H - BELOW_H;
    struct area inside = area_box(canvas_area(canvas, (struct rect){0, HEADER_H, w, h}), "Sessions",
                                  ROLE_BORDER_FOCUSED);
    struct pen heading = area_pen(inside, 0, 0);
    struct area list =
        area_part(inside, (struct rect){0, HEADING_H, inside.rect.w, inside.rect.h - HEADING_H});

    draw_header(sessions, canvas_area(canvas, (struct rect){0, 0, w, HEADER_H}));
    session_row_put_heading(&heading);
    if (!sessions->rows.count)
        draw_nothing(sessions, inside);
    sessions->place = list.rect;
    widget_list_draw(body.list, &body.rows, list);
    area_mark(list, &screen->host->chrome->search, ROLE_MATCH);
    hints_draw(&screen->host->chrome->keymap, hints, COUNT(hints),
               canvas_area(canvas, (struct rect){0, canvas->h - 1, w, 1}));
    return (struct rect){0, canvas->h - BELOW_H, w, 1};
}

static void replay(struct screen_host *host, const char *id, const char *hint)
{
    struct error err = {0};

    if (screen_replay_open(host, id, 0, &err))
        chrome_say_error(host->chrome, &err);
    else if (hint)
        chrome_say(host->chrome, ROLE_WARNING, "%s", hint);
}

static void turn_order(struct screen *screen, const struct call *call)
{
    struct sessions_screen *sessions = (struct sessions_screen *)screen;

    (void)call;
    sessions->order = (sessions->order + 1) % ORDER_COUNT;
    sort_again(sessions, selected(screen) ? selected(screen)->id : "");
}

/*
 * Open the selected session; sessions_command() has checked that there is one. A session that
 * another process runs can only be replayed, up to its last event.
 */
static void open_session(struct screen *screen, const struct call *call)
{
    const struct listed_session *session = selected(screen);
    struct screen_host *host = screen->host;
    struct driver_options options = *host->options;
    struct error err = {0};

    (void)call;
    if (session->state == SESSION_RUNNING) {
        replay(host, session->id, "another kforge runs the session: this is a replay so far");
        return;
    }
    options.problem_path = NULL;
    options.resume = session->id;
    if (host->ops->open_session(host, &options, &err))
        chrome_say_error(host->chrome, &err);
}

static void replay_session(struct screen *screen, const struct call *call)
{
    replay(screen->host, *call->argument ? call->argument : selected(screen)->id, NULL);
}

static void fork_session_at(struct screen *screen, const struct call *call)
{
    char key[KEYMAP_KEY_SIZE], hint[CHROME_LABEL_SIZE];

    (void)call;
    snprintf(hint, sizeof(hint), "fork: go to the step to decide again, then press %s",
             keymap_key_of(&screen->host->chrome->keymap, COMMAND_FORK, key));
    replay(screen->host, selected(screen)->id, hint);
}

static void export_to(void *data, const char *folder)
{
    const struct listed_session *session = selected(data);

    if (session)
        session_actions_export(((struct screen *)data)->host, session->id, folder);
}

static void export_or_ask(struct screen *screen, const struct call *call)
{
    static const struct screen_prompt prompt = {.entered = export_to};

    session_actions_export_or_ask(screen, &prompt, call->argument);
}

static void review(struct screen *screen, const struct call *call)
{
    struct error err = {0};

    (void)call;
    if (screen_review_open(screen->host, selected(screen)->id, NULL, &err))
        chrome_say_error(screen->host->chrome, &err);
}

static const struct screen_binding bindings[] = {
    {COMMAND_OPEN_SESSION, open_session},
    {COMMAND_REPLAY, replay_session},
    {COMMAND_FORK, fork_session_at},
    {COMMAND_EXPORT, export_or_ask},
    {COMMAND_ADVICE, review},
    {0},
};

static bool sessions_command(struct screen *screen, const struct call *call)
{
    const struct sessions_screen *sessions = (const struct sessions_screen *)screen;

    if (call->row->command == COMMAND_ORDER) {
        turn_order(screen, call);
        return true;
    }
    if (selected(screen))
        return screen_call(screen, bindings, call);
    if (!(call->row->context & CONTEXT_SESSIONS))
        return false;
    chrome_say(screen->host->chrome, ROLE_WARNING, "%s",
               sessions->sessions.unread_count ? "the sessions are still being read"
                                               : "no session is selected");
    return true;
}

static unsigned sessions_contexts(const struct screen *screen)
{
    (void)screen;
    return CONTEXT_SESSIONS;
}

static void sessions_mouse(struct screen *screen, const struct canvas *canvas, struct mouse mouse)
{
    struct sessions_screen *sessions = (struct sessions_screen *)screen;
    struct panel_body body = sessions_body(screen);

    (void)canvas;
    if (mouse.action != MOUSE_PRESSED)
        screen_scroll(&body, mouse);
    else if (rect_has(&sessions->place, mouse.x, mouse.y))
        widget_list_select_at(&sessions->list, (size_t)(mouse.y - sessions->place.y),
                              body.rows.count);
}

static void sessions_close(struct screen *screen)
{
    struct sessions_screen *sessions = (struct sessions_screen *)screen;

    loop_clear_timer(screen->host->loop, &sessions->reading);
    session_list_release(&sessions->sessions);
    vec_release(&sessions->rows);
    widget_list_release(&sessions->list);
    free(sessions);
}

/* Read the list of sessions again; the same session stays selected. */
static void sessions_returned(struct screen *screen)
{
    struct sessions_screen *sessions = (struct sessions_screen *)screen;
    struct error err = {0};

    if (session_list_reopen(&sessions->sessions, &err))
        chrome_say_error(screen->host->chrome, &err);
    sort_rows(sessions);
    loop_set_timer(screen->host->loop, &sessions->reading, 0, read_session, sessions);
}

static const struct screen_ops sessions_ops = {
    .close = sessions_close,
    .draw = sessions_draw,
    .contexts = sessions_contexts,
    .body = sessions_body,
    .command = sessions_command,
    .mouse = sessions_mouse,
    .returned = sessions_returned,
};

enum status screen_sessions_open(struct screen_host *host, struct error *err)
{
    struct sessions_screen *screen = mem_alloc_zeroed(1, sizeof(*screen));
    enum status st = session_list_open(&screen->sessions, err);

    screen->screen = (struct screen){&sessions_ops, host};
    if (st) {
        sessions_close(&screen->screen);
        return st;
    }
    loop_set_timer(host->loop, &screen->reading, 0, read_session, screen);
    host->ops->push(host, &screen->screen);
    return STATUS_OK;
}
