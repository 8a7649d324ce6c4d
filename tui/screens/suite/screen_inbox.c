#include "tui/screens/suite/screen_inbox.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/vec.h"
#include "core/session/store/handed_decision.h"
#include "tui/frame/hints.h"
#include "tui/frame/session_header.h"
#include "tui/frame/status_bars.h"
#include "tui/screens/decisions.h"
#include "tui/screens/suite/inbox_list.h"
#include "tui/screens/suite/suite_resumer.h"
#include "tui/screens/suite/task_session.h"
#include "tui/screens/suite/text_source.h"

struct inbox_screen {
    struct screen screen;
    struct suite_overview overview;
    struct inbox_list items;
    struct widget_list list;
    struct rect place; /* place of the list in the last frame */
    int strip;         /* number of lines above the panes in the last frame */
    bool is_read;      /* all sessions were read once */
    bool has_moved;    /* the engineer has selected an item or used the panes */

    /*
     * The selected item's session, which the panes show; NULL in the view model if there is none.
     */
    char shown[CATALOG_ID_SIZE]; /* id of that session; "" if there is none */
    struct view_model view_model;
    struct panes panes;
    struct text_source texts;
    struct decisions decisions;
    char subject[CATALOG_ID_SIZE]; /* the session of the open prompt or editor */

    struct suite_resumer resumer;
};

static struct inbox_screen *of(struct screen *screen)
{
    return (struct inbox_screen *)screen;
}

static const struct inbox_item *selected(const struct inbox_screen *inbox)
{
    return inbox->list.selected < inbox->items.count ? &inbox->items.items[inbox->list.selected]
                                                     : NULL;
}

static enum status text_of(void *data, const char *id, struct strbuf *out, struct error *err)
{
    struct inbox_screen *inbox = data;

    return text_source_read(&inbox->texts, inbox->view_model.session, id, out, err);
}

/* Close the session.  A text that the engineer typed in an editor stays in its file. */
static void forget(struct inbox_screen *inbox)
{
    struct decisions *decisions = &inbox->decisions;

    view_model_release(&inbox->view_model);
    panes_release(&inbox->panes);
    strbuf_release(&decisions->draft);
    decisions->seen_step = 0;
    decisions->read_progress = (struct read_progress){0};
    inbox->shown[0] = '\0';
    panes_open(&inbox->panes);
}

/* Show the session of the selected item; if it is already shown, follow its changes. */
static void show(struct inbox_screen *inbox)
{
    const struct inbox_item *item = selected(inbox);
    struct view_model *view_model = &inbox->view_model;

    if (item && strcmp(inbox->shown, inbox_list_session(item)) == 0 &&
        view_model->session == item->session) {
        view_model_refresh(view_model);
        return;
    }
    forget(inbox);
    if (!item)
        return;
    snprintf(inbox->shown, sizeof(inbox->shown), "%s", inbox_list_session(item));
    view_model->session = item->session;
    view_model->keymap = &inbox->screen.host->chrome->keymap;
    view_model->source = (struct view_model_source){.text = text_of, .data = inbox};
    view_model->query.options = screen_query_options(inbox->screen.host);
    view_model_refresh(view_model);
    panes_follow_session(&inbox->panes, view_model, false);
}

/* True while some suite or one of its open sessions has not been read. */
static bool is_reading(const struct inbox_screen *inbox)
{
    bool is_reading = inbox->overview.is_reading;

    for (size_t i = 0; i < inbox->overview.count; i++)
        is_reading |=
            inbox->overview.items[i].follow && inbox->overview.items[i].follow->is_reading;
    return is_reading;
}

/*
 * Handle a change of the sessions. The selected item stays selected; if it is gone, the next one
 * is. During the first reading the top item is selected, although others may still be inserted
 * before it, and the panes shrink as the list grows. Lines that were shown only in these frames do
 * not count as seen.
 */
static void on_change(void *data)
{
    struct inbox_screen *inbox = data;
    size_t found;

    inbox_list_read(&inbox->items, &inbox->overview);
    found = inbox_list_find(&inbox->items, inbox->shown);
    inbox->has_moved |= inbox->is_read;
    if (!inbox->is_read)
        inbox->decisions.read_progress = (struct read_progress){0};
    inbox->is_read = !is_reading(inbox);
    if (!inbox->has_moved)
        inbox->list.selected = 0;
    else if (found < inbox->items.count)
        inbox->list.selected = found;
    else if (inbox->list.selected >= inbox->items.count)
        inbox->list.selected = inbox->items.count ? inbox->items.count - 1 : 0;
    show(inbox);
    suite_resumer_resume(&inbox->resumer);
    inbox->screen.host->ops->changed(inbox->screen.host);
}

static void put_item(const void *data, size_t row, struct pen *pen)
{
    inbox_list_put(&((const struct inbox_screen *)data)->items.items[row], pen);
}

static struct widget_rows rows_of(const struct inbox_screen *inbox)
{
    return (struct widget_rows){.count = inbox->items.count, .put = put_item, .data = inbox};
}

/* The number of list lines above the panes, which keep a large screen's layout; 0 on small ones. */
static int strip_height(const struct inbox_screen *inbox, int w, int h)
{
    static const struct {
        int w, h;
    } layouts[] = {{160, 40}, {110, 30}, {60, 16}, {40, 8}};
    int wanted = (int)inbox->items.count + 2, most = h / 4;

    for (size_t i = 0; i < COUNT(layouts); i++) {
        int left = h - layouts[i].h;

        if (w < layouts[i].w || left < 3)
            continue;
        left = left < most ? left : most;
        return left < wanted ? left : wanted;
    }
    return 0;
}

static void draw_strip(struct inbox_screen *inbox, struct area area)
{
    struct widget_rows rows = rows_of(inbox);
    struct pen pen = area_pen(area, 1, 0);
    struct area header = area_part(area, (struct rect){0, 0, area.rect.w, 1});
    struct area list = area_part(area, (struct rect){0, 2, area.rect.w, area.rect.h - 2});

    pen_puts(&pen, ROLE_STRONG, "inbox");
    pen_putf(&pen, ROLE_HEADER, " | %zu of %zu %s", inbox->list.selected + (rows.count > 0),
             rows.count, rows.count == 1 ? "decision" : "decisions");
    if (is_reading(inbox))
        pen_puts(&pen, ROLE_DIM, " | reading");
    area_paint(header, ROLE_HEADER);
    pen = area_pen(area, 0, 1);
    inbox_list_put_titles(&pen);
    inbox->place = list.rect;
    widget_list_draw(&inbox->list, &rows, list);
}

static void move(struct rect *rect, int down)
{
    rect->y += down;
}

static struct layout layout_below(const struct inbox_screen *inbox, const struct canvas *canvas)
{
    struct layout layout = layout_of(canvas->w, canvas->h - inbox->strip, &inbox->panes.focus);

    for (enum pane pane = 0; pane < PANE_COUNT; pane++)
        move(&layout.panes[pane], inbox->strip);
    move(&layout.header, inbox->strip);
    move(&layout.tabs, inbox->strip);
    move(&layout.bar, inbox->strip);
    move(&layout.message, inbox->strip);
    move(&layout.status, inbox->strip);
    return layout;
}

static void draw_lines(struct inbox_screen *inbox, const struct layout *layout,
                       struct canvas *canvas)
{
    static const struct hint hints[] = {
        {"next-decision", "next", .rank = 1},
        {"previous-decision", "previous", .rank = 3},
        {"open-task", "session", .rank = 2},
        {"next-pane", "pane", .keys = "1-7", .rank = 2},
        {"full", NULL, .rank = 4},
        {"suites", NULL, .rank = 5},
        {"help", NULL, .rank = 1},
        {"quit", "back", .rank = 0},
    };
    const struct chrome *chrome = inbox->screen.host->chrome;
    const struct layout_focus *focus = &inbox->panes.focus;
    enum pane pane = decisions_note_read(&inbox->decisions, layout);
    const struct status_bars_facts facts = {
        .keymap = &chrome->keymap,
        .goes_back = chrome->goes_back,
        .pinned = chrome->pinned,
        .is_armed = decisions_note_armed(&inbox->decisions),
        .is_inbox = true,
        .note = {.progress = &inbox->decisions.read_progress,
                 .pane = (int)pane + 1,
                 .is_focused = focus->pane == pane,
                 .is_alone = layout->kind < LAYOUT_FLAT || focus->is_full}};

    session_header_draw(&inbox->view_model, canvas_area(canvas, layout->header));
    status_bars_draw_decision(&inbox->view_model, &facts, canvas_area(canvas, layout->bar));
    if (layout->kind == LAYOUT_SMALL)
        status_bars_draw_decision(&inbox->view_model, &facts, canvas_area(canvas, layout->status));
    else
        hints_draw(&chrome->keymap, hints, COUNT(hints), canvas_area(canvas, layout->status));
}

/* Draw the empty inbox: it says which steps wait here, and names the key for the list of suites. */
static struct rect draw_nothing(const struct inbox_screen *inbox, struct canvas *canvas)
{
    static const struct hint hints[] = {
        {"suites", NULL, .rank = 2}, {"help", NULL, .rank = 1}, {"quit", "back", .rank = 0}};
    const struct keymap *keymap = &inbox->screen.host->chrome->keymap;
    struct area area = canvas_area(canvas, (struct rect){0, 0, canvas->w, canvas->h});
    struct area header = area_part(area, (struct rect){0, 0, canvas->w, 1});
    struct pen pen = area_pen(area, 1, 0);
    char key[KEYMAP_KEY_SIZE];

    pen_puts(&pen, ROLE_STRONG, "inbox");
    area_paint(header, ROLE_HEADER);
    pen = area_pen(area, 1, 2);
    if (is_reading(inbox))
        pen_puts(&pen, ROLE_DIM, "Reading suites ...");
    else
        pen_putf(&pen, ROLE_DIM,
                 "No decision waits. Steps of suites with the policy guided or manual wait here; "
                 "%s lists the suites.",
                 keymap_key_of(keymap, COMMAND_SUITES, key));
    hints_draw(keymap, hints, COUNT(hints),
               canvas_area(canvas, (struct rect){0, canvas->h - 1, canvas->w, 1}));
    return (struct rect){0, canvas->h - 2, canvas->w, 1};
}

static struct rect inbox_draw(struct screen *screen, struct canvas *canvas)
{
    struct inbox_screen *inbox = of(screen);
    struct layout layout;

    if (!inbox->view_model.session)
        return draw_nothing(inbox, canvas);
    inbox->strip = strip_height(inbox, canvas->w, canvas->h);
    inbox->panes.focus.pinned = screen->host->chrome->pinned;
    panes_follow_session(&inbox->panes, &inbox->view_model, true);
    layout = layout_below(inbox, canvas);
    inbox->place = (struct rect){0};
    if (inbox->strip)
        draw_strip(inbox, canvas_area(canvas, (struct rect){0, 0, canvas->w, inbox->strip}));
    if (!panes_draw(&inbox->panes, &inbox->view_model, &screen->host->chrome->search, &layout,
                    canvas))
        return (struct rect){0};
    draw_lines(inbox, &layout, canvas);
    screen_read_on(screen, &inbox->panes);
    return layout.message.h ? layout.message : layout.status;
}

/* Write the decision into the session's folder, where the suite's process watches for it. */
static enum status hand(void *data, const struct ruling *ruling, struct error *err)
{
    struct inbox_screen *inbox = data;
    const struct inbox_item *item = selected(inbox);
    enum status st;

    if (!item || strcmp(inbox->subject, inbox->shown) != 0)
        return error_set(err, STATUS_INVALID, "step %u of session %s no longer waits", ruling->step,
                         inbox->subject);
    st = handed_decision_give(inbox->shown, ruling, err);
    if (!st)
        chrome_say(inbox->screen.host->chrome, ROLE_GOOD, "step %u of %s is %s; %s", ruling->step,
                   item->session->problem_name, decision_name(ruling->decision),
                   suite_resumer_note(item->suite));
    return st;
}

static void decide(struct screen *screen, const struct call *call)
{
    struct inbox_screen *inbox = of(screen);

    snprintf(inbox->subject, sizeof(inbox->subject), "%s", inbox->shown);
    decisions_take(&inbox->decisions, call);
}

static void inbox_program_ended(struct screen *screen, int wait_status)
{
    struct inbox_screen *inbox = of(screen);
    struct decisions *decisions = &inbox->decisions;

    if (!decisions->edit.folder)
        return;
    if (strcmp(inbox->subject, inbox->shown) == 0) {
        decisions_take_edit(decisions, wait_status);
        return;
    }
    chrome_say(screen->host->chrome, ROLE_WARNING, "session %s no longer waits: your text is in %s",
               inbox->subject, decisions->edit.folder);
    edit_leave(&decisions->edit);
}

static void select_item(struct inbox_screen *inbox, size_t index)
{
    inbox->has_moved = true;
    inbox->list.selected = index;
    show(inbox);
}

static void go_by_decisions(struct screen *screen, const struct call *call)
{
    struct inbox_screen *inbox = of(screen);
    size_t count = inbox->items.count;

    if (count > 1)
        select_item(inbox, (inbox->list.selected + count + (size_t)call->row->number) % count);
    else
        chrome_say(screen->host->chrome, ROLE_TEXT, "no other decision waits");
}

static void open_task(struct screen *screen, const struct call *call)
{
    const struct inbox_item *item = selected(of(screen));

    (void)call;
    if (item)
        task_session_open(screen->host, item->suite->follow, item->task);
}

static void pin_layout(struct screen *screen, const struct call *call)
{
    screen_pin_layout(screen->host, &of(screen)->panes, call->argument);
}

static const struct screen_binding bindings[] = {
    {COMMAND_ACCEPT, decide},
    {COMMAND_EDIT, decide},
    {COMMAND_VETO, decide},
    {COMMAND_RETRY, decide},
    {COMMAND_RUN_ON, decide},
    {COMMAND_OPEN_TASK, open_task},
    {COMMAND_NEXT_DECISION, go_by_decisions},
    {COMMAND_LAYOUT, pin_layout},
    {0},
};

static bool inbox_command(struct screen *screen, const struct call *call)
{
    struct inbox_screen *inbox = of(screen);
    unsigned pair[2];

    if (!inbox->view_model.session)
        return false;
    inbox->has_moved = true;
    if (screen_call(screen, bindings, call))
        return true;
    if (!panes_command(&inbox->panes, &inbox->view_model, call))
        return false;
    if (panes_take_pair(&inbox->panes, pair))
        chrome_say(screen->host->chrome, ROLE_WARNING, "open the session to compare two attempts");
    return true;
}

static unsigned inbox_contexts(const struct screen *screen)
{
    const struct inbox_screen *inbox = (const struct inbox_screen *)screen;
    unsigned contexts = CONTEXT_INBOX;

    if (!inbox->view_model.session)
        return contexts;
    if (view_model_waiting(&inbox->view_model))
        contexts |= CONTEXT_WAITING;
    return contexts | panes_contexts(&inbox->panes);
}

static struct panel_body inbox_body(struct screen *screen)
{
    struct inbox_screen *inbox = of(screen);

    if (inbox->view_model.session)
        return panes_body(&inbox->panes, &inbox->view_model);
    return (struct panel_body){.list = &inbox->list, .rows = rows_of(inbox)};
}

static void inbox_selected(struct screen *screen)
{
    if (of(screen)->view_model.session)
        panes_follow_selection(&of(screen)->panes, &of(screen)->view_model);
}

static void inbox_copy(struct screen *screen, struct strbuf *out)
{
    if (of(screen)->view_model.session)
        panes_copy(&of(screen)->panes, &of(screen)->view_model, out);
}

/* Pass mouse events to the panes as on a smaller screen that begins below the list. */
static void inbox_mouse(struct screen *screen, const struct canvas *canvas, struct mouse mouse)
{
    struct inbox_screen *inbox = of(screen);
    struct canvas below = {.w = canvas->w, .h = canvas->h - inbox->strip};

    if (rect_has(&inbox->place, mouse.x, mouse.y)) {
        if (mouse.action == MOUSE_PRESSED &&
            widget_list_select_at(&inbox->list, (size_t)(mouse.y - inbox->place.y),
                                  inbox->items.count))
            select_item(inbox, inbox->list.selected);
    } else if (inbox->view_model.session && mouse.y >= inbox->strip) {
        mouse.y -= inbox->strip;
        panes_mouse(&inbox->panes, &inbox->view_model, &below, mouse);
    }
}

static void inbox_shown(struct screen *screen, int64_t now_us)
{
    if (of(screen)->view_model.session)
        decisions_shown(&of(screen)->decisions, now_us);
}

static void inbox_close(struct screen *screen)
{
    struct inbox_screen *inbox = of(screen);

    view_model_release(&inbox->view_model);
    panes_release(&inbox->panes);
    decisions_release(&inbox->decisions);
    text_source_close(&inbox->texts);
    vec_release(&inbox->items);
    widget_list_release(&inbox->list);
    suite_resumer_close(&inbox->resumer);
    suite_overview_close(&inbox->overview);
    free(inbox);
}

static const struct screen_ops inbox_ops = {
    .close = inbox_close,
    .draw = inbox_draw,
    .shown = inbox_shown,
    .contexts = inbox_contexts,
    .body = inbox_body,
    .command = inbox_command,
    .mouse = inbox_mouse,
    .selected = inbox_selected,
    .program_ended = inbox_program_ended,
    .copy = inbox_copy,
};

enum status screen_inbox_open(struct screen_host *host, struct error *err)
{
    struct inbox_screen *inbox = mem_alloc_zeroed(1, sizeof(*inbox));
    enum status st;

    inbox->screen = (struct screen){&inbox_ops, host};
    inbox->decisions = (struct decisions){.host = host,
                                          .hand = hand,
                                          .hand_data = inbox,
                                          .view_model = &inbox->view_model,
                                          .panes = &inbox->panes};
    suite_resumer_open(&inbox->resumer, host, &inbox->overview);
    panes_open(&inbox->panes);
    st = suite_overview_open(&inbox->overview, host->loop, on_change, inbox, err);
    if (st)
        inbox_close(&inbox->screen);
    else
        host->ops->push(host, &inbox->screen);
    return st;
}
