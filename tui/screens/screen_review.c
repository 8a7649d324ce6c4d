#include "tui/screens/screen_review.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/vec.h"
#include "core/session/recorded/review_report.h"
#include "core/session/store/catalog.h"
#include "core/system/file.h"
#include "tui/frame/hints.h"
#include "tui/screens/recommendation_page.h"
#include "tui/screens/review_list.h"
#include "tui/screens/screen_replay.h"

struct review_screen {
    struct screen screen;
    struct review review;
    char **unread; /* ids of sessions to read, the oldest first */
    size_t unread_count;
    struct loop_timer reading;
    char *session;               /* NULL: all sessions */
    char *values[REVIEW_FIELDS]; /* values of the filter; NULL: any value */
    enum review_shown shown;
    enum review_order order;
    struct review_rows rows; /* the items that pass the filter, in order */
    struct widget_list list;
    struct page page;
    struct rect place; /* place of the list in the last frame */
    struct {
        char *session;
        unsigned step;
    } wanted; /* the item that stays selected while sessions are read again; `session` NULL: none */
};

static struct review_filter filter_of(const struct review_screen *screen)
{
    struct review_filter filter = {0};

    for (int i = 0; i < REVIEW_FIELDS; i++)
        filter.values[i] = screen->values[i];
    filter.shown = screen->shown;
    return filter;
}

static void choose_rows(struct review_screen *screen)
{
    const struct review_filter filter = filter_of(screen);

    review_choose(&screen->review, &filter, &screen->rows);
    review_list_sort(&screen->review, screen->order, &screen->rows);
    if (screen->list.selected >= screen->rows.count)
        screen->list.selected = screen->rows.count ? screen->rows.count - 1 : 0;
}

static struct review_item *item_at(const struct review_screen *screen, size_t row)
{
    return row < screen->rows.count ? &screen->review.items[screen->rows.items[row]] : NULL;
}

static void select_wanted(struct review_screen *screen)
{
    for (size_t row = 0; screen->wanted.session && row < screen->rows.count; row++)
        if (item_at(screen, row)->step == screen->wanted.step &&
            strcmp(item_at(screen, row)->session, screen->wanted.session) == 0)
            screen->list.selected = row;
}

static void put_item(const void *data, size_t row, struct pen *pen)
{
    review_list_put(item_at(data, row), pen);
}

static struct panel_body review_body(struct screen *screen)
{
    struct review_screen *review = (struct review_screen *)screen;

    return (struct panel_body){
        .list = &review->list,
        .rows = {.count = review->rows.count, .put = put_item, .data = review}};
}

static void draw_item(struct review_screen *screen, struct area area)
{
    const struct review_item *item = item_at(screen, screen->list.selected);
    struct area inside = area_box(area, "Recommendation", ROLE_BORDER);

    page_clear(&screen->page);
    if (item)
        recommendation_page_write(item, &screen->page, inside.rect.w);
    page_draw(&screen->page, inside);
}

static void draw_header(const struct review_screen *screen, struct area area)
{
    struct pen pen = area_pen(area, 1, 0);

    pen_puts(&pen, ROLE_STRONG, "recommendations");
    pen_putf(&pen, ROLE_HEADER, " | %s", screen->session ? screen->session : "all sessions");
    for (int i = 0; i < REVIEW_FIELDS; i++)
        if (screen->values[i])
            pen_putf(&pen, ROLE_KEY, " | %s %s", review_field_names[i], screen->values[i]);
    if (screen->shown)
        pen_putf(&pen, ROLE_KEY, " | %s", review_shown_names[screen->shown]);
    pen_putf(&pen, ROLE_HEADER, " | %s", review_order_names[screen->order]);
    area_paint(area, ROLE_HEADER);
}

static void draw_nothing(const struct review_screen *screen, struct area area)
{
    struct pen pen = area_pen(area, 1, 1);
    char key[KEYMAP_KEY_SIZE];

    if (screen->unread_count)
        pen_puts(&pen, ROLE_DIM, "Reading sessions ...");
    else if (screen->review.count)
        pen_putf(&pen, ROLE_DIM,
                 "No recommendation passes the filter: %s, :tag, :on-device and "
                 ":of-problem change it.",
                 keymap_key_of(&screen->screen.host->chrome->keymap, COMMAND_SHOWN, key));
    else
        pen_puts(&pen, ROLE_DIM, "No recommendations yet: the first one follows a correct kernel.");
}

static void draw_list(struct review_screen *screen, struct area area)
{
    struct panel_body body = review_body(&screen->screen);
    struct strbuf title = {0};
    struct area inside;
    struct pen heading;

    strbuf_addf(&title, "%zu of %zu", screen->rows.count, screen->review.count);
    if (screen->list.filter.len)
        strbuf_addf(&title, " \\%s", screen->list.filter.text);
    inside = area_box(area, strbuf_cstr(&title), ROLE_BORDER_FOCUSED);
    heading = area_pen(inside, 0, 0);
    review_list_put_heading(&heading);
    inside = area_part(inside, (struct rect){0, 1, inside.rect.w, inside.rect.h - 1});
    screen->place = inside.rect;
    if (!screen->rows.count)
        draw_nothing(screen, inside);
    widget_list_draw(body.list, &body.rows, inside);
    area_mark(inside, &screen->screen.host->chrome->search, ROLE_MATCH);
    strbuf_release(&title);
}

static struct rect review_draw(struct screen *screen, struct canvas *canvas)
{
    const struct hint hints[] = {
        {"go-to-step", "go there", .rank = 2},
        {"star", NULL, .rank = 3},
        {"reviewed", NULL, .rank = 3},
        {"remark", "note", .rank = 3},
        {"only", "kind", .rank = 4},
        {"tag", NULL, .rank = 5},
        {"on-device", "device", .rank = 6},
        {"of-problem", "problem", .rank = 6},
        {"order", NULL, .rank = 5},
        {"write", "export", .rank = 4},
        {"help", NULL, .rank = 1},
        {"quit", screen->host->chrome->goes_back ? "back" : "leave", .rank = 0},
    };
    struct review_screen *review = (struct review_screen *)screen;
    const struct review_filter filter = filter_of(review);
    const struct review_places places = review_list_places(canvas->w, canvas->h);

    draw_header(review, canvas_area(canvas, places.header));
    draw_list(review, canvas_area(canvas, places.list));
    if (places.item.h)
        draw_item(review, canvas_area(canvas, places.item));
    review_list_draw_totals(&review->review, &review->rows, &filter,
                            canvas_area(canvas, places.totals));
    hints_draw(&screen->host->chrome->keymap, hints, COUNT(hints),
               canvas_area(canvas, places.keys));
    return places.message;
}

static void turn_field(struct screen *base, const struct call *call)
{
    struct review_screen *screen = (struct review_screen *)base;
    enum review_field field = (enum review_field)call->row->number;
    const char *argument = call->argument;
    struct strbuf values = {0};
    char *value;

    review_add_values(&screen->review, field, &values);
    value = *argument ? mem_strdup(argument)
                      : review_list_value_after(strbuf_cstr(&values), screen->values[field]);
    free(screen->values[field]);
    screen->values[field] = value;
    screen->list.selected = 0;
    choose_rows(screen);
    strbuf_release(&values);
}

static void turn_order(struct screen *screen, const struct call *call)
{
    struct review_screen *review = (struct review_screen *)screen;

    (void)call;
    review->order = (review->order + 1) % REVIEW_ORDERS;
    choose_rows(review);
}

/* Go to the selected recommendation's step: in the open session, or else in a replay. */
static void jump(struct screen *screen, const struct call *call)
{
    const struct review_screen *review = (struct review_screen *)screen;
    const struct review_item *item = item_at(review, review->list.selected);
    struct screen_host *host = screen->host;
    struct error err = {0};

    (void)call;
    if (!item || host->ops->show_step(host, item->session, item->step))
        return;
    if (screen_replay_open(host, item->name, item->step, &err))
        chrome_say_error(host->chrome, &err);
}

/* Show the next kind of recommendations, or the named one. */
static void turn_shown(struct screen *base, const struct call *call)
{
    struct review_screen *screen = (struct review_screen *)base;
    enum review_shown shown = (screen->shown + 1) % REVIEW_SHOWN;

    for (int i = 0; *call->argument && i < REVIEW_SHOWN; i++)
        if (strcmp(call->argument, review_shown_names[i]) == 0)
            shown = (enum review_shown)i;
    screen->shown = shown;
    screen->list.selected = 0;
    choose_rows(screen);
}

/* Change the marks of the selected recommendation. */
static void set_marks(struct review_screen *screen, struct recommendation_marked mark)
{
    struct review_item *item = item_at(screen, screen->list.selected);
    struct error err = {0};

    if (item && review_mark(&screen->review, item, mark, &err))
        chrome_say_error(screen->screen.host->chrome, &err);
    choose_rows(screen);
}

/* The present marks of the selected recommendation; no marks if nothing is selected. */
static struct recommendation_marked marks_of(const struct review_screen *screen)
{
    const struct review_item *item = item_at(screen, screen->list.selected);

    if (!item)
        return (struct recommendation_marked){.note = ""};
    return (struct recommendation_marked){
        .reviewed = item->is_reviewed, .starred = item->is_starred, .note = item->note};
}

static void turn_star(struct screen *base, const struct call *call)
{
    struct review_screen *screen = (struct review_screen *)base;
    struct recommendation_marked mark = marks_of(screen);

    (void)call;
    mark.starred = !mark.starred;
    set_marks(screen, mark);
}

static void turn_reviewed(struct screen *base, const struct call *call)
{
    struct review_screen *screen = (struct review_screen *)base;
    struct recommendation_marked mark = marks_of(screen);

    (void)call;
    mark.reviewed = !mark.reviewed;
    set_marks(screen, mark);
}

static void take_note(void *data, const char *note)
{
    struct review_screen *screen = data;
    struct recommendation_marked mark = marks_of(screen);

    mark.note = note;
    set_marks(screen, mark);
}

static void ask_for_note(struct screen *base, const struct call *call)
{
    static const struct screen_prompt prompt = {.entered = take_note};
    struct review_screen *screen = (struct review_screen *)base;

    if (*call->argument)
        take_note(screen, call->argument);
    else if (item_at(screen, screen->list.selected))
        base->host->ops->ask(base->host, &prompt, screen, "note: ", marks_of(screen).note);
}

static void save_to(void *data, const char *name)
{
    struct review_screen *screen = data;
    struct chrome *chrome = screen->screen.host->chrome;
    struct error err = {0};
    char *path;

    if (!*name)
        return;
    path = file_expand_home(name);
    if (review_report_save(&screen->review, &screen->rows, path, &err))
        chrome_say_error(chrome, &err);
    else
        chrome_say(chrome, ROLE_GOOD, "%zu recommendations are in %s", screen->rows.count, path);
    free(path);
}

static void save_or_ask(struct screen *screen, const struct call *call)
{
    static const struct screen_prompt prompt = {.entered = save_to};

    if (*call->argument)
        save_to(screen, call->argument);
    else
        screen->host->ops->ask(screen->host, &prompt, screen,
                               "write these to a file, .md or .json: ", "");
}

static const struct screen_binding bindings[] = {
    {COMMAND_FIELD, turn_field},
    {COMMAND_ORDER, turn_order},
    {COMMAND_SHOWN, turn_shown},
    {COMMAND_STAR, turn_star},
    {COMMAND_REVIEWED, turn_reviewed},
    {COMMAND_REMARK, ask_for_note},
    {COMMAND_EXPORT, save_or_ask},
    {COMMAND_JUMP, jump},
    {0},
};

static bool review_command(struct screen *screen, const struct call *call)
{
    return screen_call(screen, bindings, call);
}

static unsigned review_contexts(const struct screen *screen)
{
    (void)screen;
    return CONTEXT_REVIEW;
}

static void review_mouse(struct screen *screen, const struct canvas *canvas, struct mouse mouse)
{
    struct review_screen *review = (struct review_screen *)screen;
    struct panel_body body = review_body(screen);

    (void)canvas;
    if (mouse.action != MOUSE_PRESSED)
        screen_scroll(&body, mouse);
    else if (rect_has(&review->place, mouse.x, mouse.y))
        widget_list_select_at(&review->list, (size_t)(mouse.y - review->place.y), body.rows.count);
}

static void review_copy(struct screen *screen, struct strbuf *out)
{
    widget_text_add_text(&((struct review_screen *)screen)->page.view, out);
}

static void drop_unread(struct review_screen *screen)
{
    while (screen->unread_count)
        free(screen->unread[--screen->unread_count]);
    free(screen->unread);
    screen->unread = NULL;
}

static void review_close(struct screen *screen)
{
    struct review_screen *review = (struct review_screen *)screen;

    loop_clear_timer(screen->host->loop, &review->reading);
    drop_unread(review);
    free(review->wanted.session);
    for (int i = 0; i < REVIEW_FIELDS; i++)
        free(review->values[i]);
    free(review->session);
    review_release(&review->review);
    vec_release(&review->rows);
    widget_list_release(&review->list);
    page_release(&review->page);
    free(review);
}

/*
 * Read one session in each turn of the loop, so that keys are handled in between. An unreadable
 * session is skipped.
 */
static void read_session(void *data)
{
    struct review_screen *screen = data;
    struct screen_host *host = screen->screen.host;
    struct error err = {0};
    char *id;

    if (!screen->unread_count)
        return;
    id = screen->unread[--screen->unread_count];
    if (review_add(&screen->review, id, false, &err))
        chrome_say(host->chrome, ROLE_WARNING, "%s", err.text);
    free(id);
    choose_rows(screen);
    select_wanted(screen);
    host->ops->changed(host);
    loop_set_timer(host->loop, &screen->reading, 0, read_session, screen);
}

/*
 * Read the marks and the session or, for all sessions, only their ids, which read_session() then
 * reads.
 */
static enum status begin_reading(struct review_screen *screen, struct error *err)
{
    enum status st = review_read_marks(&screen->review, err);

    if (!st && screen->session)
        st = review_add(&screen->review, screen->session, true, err);
    else if (!st)
        st = catalog_list(&screen->unread, &screen->unread_count, err);
    return st;
}

/*
 * Read the sessions again, because they may have continued; the same recommendation stays selected.
 */
static void review_returned(struct screen *base)
{
    struct review_screen *screen = (struct review_screen *)base;
    const struct review_item *item = item_at(screen, screen->list.selected);
    struct error err = {0};

    free(screen->wanted.session);
    screen->wanted.session = item ? mem_strdup(item->session) : NULL;
    screen->wanted.step = item ? item->step : 0;
    drop_unread(screen);
    review_release(&screen->review);
    if (begin_reading(screen, &err))
        chrome_say_error(base->host->chrome, &err);
    choose_rows(screen);
    select_wanted(screen);
    loop_set_timer(base->host->loop, &screen->reading, 0, read_session, screen);
}

static const struct screen_ops review_ops = {
    .close = review_close,
    .draw = review_draw,
    .contexts = review_contexts,
    .body = review_body,
    .command = review_command,
    .mouse = review_mouse,
    .copy = review_copy,
    .returned = review_returned,
};

static char *value_of(const struct review_filter *filter, int field)
{
    const char *value = filter ? filter->values[field] : NULL;

    return value ? mem_strdup(value) : NULL;
}

enum status screen_review_open(struct screen_host *host, const char *session,
                               const struct review_filter *filter, struct error *err)
{
    struct review_screen *screen = mem_alloc_zeroed(1, sizeof(*screen));
    enum status st;

    screen->screen = (struct screen){&review_ops, host};
    screen->session = session ? mem_strdup(session) : NULL;
    st = begin_reading(screen, err);
    if (st) {
        review_close(&screen->screen);
        return st;
    }
    for (int i = 0; i < REVIEW_FIELDS; i++)
        screen->values[i] = value_of(filter, i);
    screen->shown = filter ? filter->shown : REVIEW_ALL;
    choose_rows(screen);
    loop_set_timer(host->loop, &screen->reading, 0, read_session, screen);
    host->ops->push(host, &screen->screen);
    return STATUS_OK;
}
