#include "tui/screens/screen_live.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/mem.h"
#include "tui/frame/policy_menu.h"
#include "tui/frame/session_header.h"
#include "tui/frame/status_bars.h"
#include "tui/screens/decisions.h"
#include "tui/screens/kernel_watch.h"
#include "tui/screens/pasted_reply.h"
#include "tui/screens/screen_compare.h"
#include "tui/screens/session_actions.h"

enum { CLOCK_US = 1000000 }; /* the elapsed time of an activity is drawn again after this long */

struct live_screen {
    struct screen screen;
    struct driver *driver; /* NULL until driver_open() has returned */
    struct view_model view_model;
    struct panes panes;
    struct policy_menu policy;
    struct loop_timer clock;
    struct decisions decisions;
    struct pasted_reply pasted;
    struct kernel_watch watch;
    unsigned asked_step, asked_attempt; /* the subject of the open prompt */
    bool has_moved;                     /* the engineer used a pane since the last decision */
    struct error failure;
};

static void redraw(void *data)
{
    struct live_screen *live = data;

    live->screen.host->ops->changed(live->screen.host);
}

static void on_event(void *data, const struct event *event)
{
    struct live_screen *live = data;

    live->screen.host->ops->note_event(live->screen.host, event->type);
    if (!live->driver)
        return; /* driver_open() is still running; the first frame shows its events */
    if (event->type == EVENT_EVALUATION_STARTED)
        candidate_query_cancel(&live->view_model.query, "a kernel of the session is timed now");
    view_model_refresh(&live->view_model);
    kernel_watch_note_events(&live->watch);
    redraw(live);
}

static void on_live(void *data)
{
    struct live_screen *live = data;

    if (!live->driver)
        return;
    chrome_say_notice(live->screen.host->chrome, driver_live(live->driver)->notice);
    redraw(live);
}

static void on_ended(void *data, const struct error *err)
{
    struct live_screen *live = data;

    if (err) {
        live->failure = *err;
        chrome_say_error(live->screen.host->chrome, err);
    }
    redraw(live);
}

static void draw_lines(struct live_screen *live, const struct layout *layout, struct canvas *canvas)
{
    struct chrome *chrome = live->screen.host->chrome;
    const struct layout_focus *focus = &live->panes.focus;
    enum pane pane = decisions_note_read(&live->decisions, layout);
    struct status_bars_facts facts = {
        .keymap = &chrome->keymap,
        .messages = &chrome->messages,
        .goes_back = chrome->goes_back,
        .pinned = chrome->pinned,
        .is_armed = decisions_note_armed(&live->decisions),
        .note = {.progress = &live->decisions.read_progress,
                 .pane = (int)pane + 1,
                 .is_focused = focus->pane == pane,
                 .is_alone = layout->kind < LAYOUT_FLAT || focus->is_full}};
    const struct view_model *view_model = &live->view_model;

    session_header_draw(view_model, canvas_area(canvas, layout->header));
    status_bars_draw_decision(view_model, &facts, canvas_area(canvas, layout->bar));
    if (layout->kind == LAYOUT_SMALL)
        status_bars_draw_decision(view_model, &facts, canvas_area(canvas, layout->status));
    else
        status_bars_draw_status(view_model, &facts, canvas_area(canvas, layout->status));
}

/* Copy the part of the driver's state that is not in the session. */
static void copy_driver_state(struct live_screen *live)
{
    struct view_model *view_model = &live->view_model;

    view_model->live = driver_live(live->driver);
    view_model->device = driver_device(live->driver);
    view_model->is_paused = driver_is_paused(live->driver);
    view_model->trouble = live->failure.code ? live->failure.text : NULL;
    view_model->can_resume = driver_can_resume(live->driver);
}

static struct rect live_draw(struct screen *screen, struct canvas *canvas)
{
    struct live_screen *live = (struct live_screen *)screen;
    struct layout layout;

    live->panes.focus.pinned = screen->host->chrome->pinned;
    /*
     * A save in an editor is a decision, so the layout follows its step even if the engineer has
     * moved.
     */
    panes_follow_session(&live->panes, &live->view_model, live->has_moved && !live->watch.files);
    layout = layout_of(canvas->w, canvas->h, &live->panes.focus);
    copy_driver_state(live);
    if (live->view_model.live->activity && !live->clock.is_set)
        loop_set_timer(screen->host->loop, &live->clock, CLOCK_US, redraw, live);
    if (!panes_draw(&live->panes, &live->view_model, &screen->host->chrome->search, &layout,
                    canvas))
        return (struct rect){0};
    draw_lines(live, &layout, canvas);
    screen_read_on(screen, &live->panes);
    if (live->policy.is_open)
        policy_menu_draw(&live->policy, &screen->host->chrome->keymap,
                         &live->view_model.session->gate, canvas);
    return layout.message.h ? layout.message : layout.status;
}

static struct live_screen *of(struct screen *screen)
{
    return (struct live_screen *)screen;
}

static void interrupt(struct screen *screen, const struct call *call)
{
    struct live_screen *live = of(screen);
    char key[KEYMAP_KEY_SIZE];

    (void)call;
    if (driver_live(live->driver)->activity) {
        driver_interrupt(live->driver);
        chrome_say(screen->host->chrome, ROLE_WARNING, "interrupted; %s continues",
                   keymap_key_of(&screen->host->chrome->keymap, COMMAND_PAUSE, key));
    } else {
        chrome_say(screen->host->chrome, ROLE_TEXT, "nothing is running");
    }
}

static void pause_or_continue(struct screen *screen, const struct call *call)
{
    struct driver *driver = of(screen)->driver;

    (void)call;
    (driver_is_paused(driver) ? driver_run : driver_pause)(driver);
}

/* Report the result of a request to the driver; `done` is the message on success. */
static void report(struct screen *screen, enum status st, const struct error *err, const char *done)
{
    chrome_say(screen->host->chrome, st ? ROLE_BAD : ROLE_TEXT, "%s", st ? err->text : done);
}

/* Give the agent a note, or a file. */
static void write_to_agent(struct screen *screen, const struct call *call)
{
    struct driver *driver = of(screen)->driver;
    bool is_file = call->row->command == COMMAND_ATTACH;
    struct error err = {0};
    enum status st = is_file ? driver_attach(driver, call->argument, &err)
                             : driver_say(driver, call->argument, &err);

    report(screen, st, &err,
           is_file ? "the agent gets the file with the next analysis"
                   : "the agent gets your note with the next prompt");
}

static void pin_layout(struct screen *screen, const struct call *call)
{
    screen_pin_layout(screen->host, &of(screen)->panes, call->argument);
}

static void enter_tag(void *data, const char *tag)
{
    struct live_screen *live = data;
    struct error err = {0};

    if (driver_tag(live->driver, live->asked_attempt, tag, &err))
        chrome_say_error(live->screen.host->chrome, &err);
}

static void tag(struct screen *screen, const struct call *call)
{
    static const struct screen_prompt prompt = {.entered = enter_tag};
    struct live_screen *live = of(screen);
    const struct attempt *attempt =
        session_attempt(live->view_model.session, live->view_model.attempt);
    char label[CHROME_LABEL_SIZE];

    live->asked_attempt = live->view_model.attempt;
    if (!attempt || *call->argument) {
        enter_tag(live, call->argument);
        return;
    }
    snprintf(label, sizeof(label), "name of attempt %u: ", attempt->number);
    screen->host->ops->ask(screen->host, &prompt, live, label, attempt->tag ? attempt->tag : "");
}

static void enter_agent(void *data, const char *agent)
{
    const struct live_screen *live = data;

    session_actions_fork_by_id(live->screen.host, live->view_model.session->id, live->asked_step,
                               agent);
}

static void branch(struct screen *screen, const struct call *call)
{
    static const struct screen_prompt prompt = {.line = {.history = "agents"},
                                                .entered = enter_agent};
    struct live_screen *live = of(screen);

    (void)call;
    live->asked_step = live->view_model.step;
    session_actions_ask_for_fork(screen->host, &prompt, live, &live->view_model);
}

static void export_to(void *data, const char *folder)
{
    const struct live_screen *live = data;

    session_actions_export(live->screen.host, live->view_model.session->id, folder);
}

static void export_or_ask(struct screen *screen, const struct call *call)
{
    static const struct screen_prompt prompt = {.entered = export_to};

    session_actions_export_or_ask(screen, &prompt, call->argument);
}

static void decide(struct screen *screen, const struct call *call)
{
    of(screen)->has_moved = false;
    decisions_take(&of(screen)->decisions, call);
}

static void request(struct screen *screen, const struct call *call)
{
    decisions_request(&of(screen)->decisions, call);
}

static void run_on(struct screen *screen, const struct call *call)
{
    struct live_screen *live = of(screen);

    if (view_model_waiting(&live->view_model))
        decisions_take(&live->decisions, call);
    else
        decisions_run_on(&live->decisions, call->argument);
}

/*
 * Carry out the command `policy`, with an argument such as "keep auto"; without one, open the menu.
 */
static void set_policy(struct screen *screen, const struct call *call)
{
    struct error err = {0};

    if (!*call->argument)
        of(screen)->policy.is_open = true;
    else if (policy_menu_set(of(screen)->driver, call->argument, &err))
        chrome_say_error(screen->host->chrome, &err);
    else
        chrome_say(screen->host->chrome, ROLE_TEXT, "policy: %s", call->argument);
}

static void set_language(struct screen *screen, const struct call *call)
{
    struct error err = {0};

    if (driver_set_language(of(screen)->driver, call->argument, &err))
        chrome_say_error(screen->host->chrome, &err);
    else
        chrome_say(screen->host->chrome, ROLE_TEXT, "language: %s", call->argument);
}

/* While the menu of policies is open, it gets the commands first. */
static bool menu_command(struct live_screen *live, enum screen_command command)
{
    struct error err = {0};

    if (!live->policy.is_open)
        return false;
    if (command != COMMAND_SWITCH)
        return policy_menu_command(&live->policy, command);
    if (policy_menu_switch(&live->policy, live->driver, &err))
        chrome_say_error(live->screen.host->chrome, &err);
    return true;
}

static const struct screen_binding bindings[] = {
    {COMMAND_PAUSE, pause_or_continue},
    {COMMAND_INTERRUPT, interrupt},
    {COMMAND_SAY, write_to_agent},
    {COMMAND_BRANCH, branch},
    {COMMAND_TAG, tag},
    {COMMAND_EXPORT, export_or_ask},
    {COMMAND_LAYOUT, pin_layout},
    {COMMAND_ATTACH, write_to_agent},
    {COMMAND_POLICY, set_policy},
    {COMMAND_LANGUAGE, set_language},
    {COMMAND_ACCEPT, decide},
    {COMMAND_EDIT, decide},
    {COMMAND_VETO, decide},
    {COMMAND_RETRY, decide},
    {COMMAND_RUN_ON, run_on},
    {COMMAND_END_RUN, request},
    {COMMAND_UNDO, request},
    {COMMAND_REDO, request},
    {0},
};

static bool live_command(struct screen *screen, const struct call *call)
{
    struct live_screen *live = of(screen);

    if (menu_command(live, call->row->command) || screen_call(screen, bindings, call) ||
        kernel_watch_command(&live->watch, call))
        return true;
    if (!screen_compare_from_panes(screen->host, &live->panes, &live->view_model, call))
        return false;
    live->has_moved = true;
    return true;
}

static unsigned live_contexts(const struct screen *screen)
{
    const struct live_screen *live = (const struct live_screen *)screen;
    unsigned contexts = panes_contexts(&live->panes) | CONTEXT_LIVE;

    if (live->policy.is_open)
        return CONTEXT_POLICY;
    if (view_model_waiting(&live->view_model))
        contexts |= CONTEXT_WAITING;
    else if (live->view_model.session->now.stage != STAGE_CLOSED)
        contexts |= CONTEXT_RUNNING;
    else
        contexts |= CONTEXT_CLOSED;
    return contexts;
}

static struct panel_body live_body(struct screen *screen)
{
    return panes_body(&of(screen)->panes, &of(screen)->view_model);
}

static void live_selected(struct screen *screen)
{
    panes_follow_selection(&of(screen)->panes, &of(screen)->view_model);
}

static void live_copy(struct screen *screen, struct strbuf *out)
{
    panes_copy(&of(screen)->panes, &of(screen)->view_model, out);
}

static void live_mouse(struct screen *screen, const struct canvas *canvas, struct mouse mouse)
{
    struct live_screen *live = of(screen);

    if (!live->policy.is_open)
        panes_mouse(&live->panes, &live->view_model, canvas, mouse);
    else if (mouse.action == MOUSE_PRESSED &&
             policy_menu_select_at(&live->policy, mouse.x, mouse.y))
        (void)menu_command(live, COMMAND_SWITCH);
}

static void live_shown(struct screen *screen, int64_t now_us)
{
    decisions_shown(&of(screen)->decisions, now_us);
}

static void live_paste(struct screen *screen, const char *text, size_t len)
{
    pasted_reply_take(&of(screen)->pasted, text, len);
}

static void live_close(struct screen *screen)
{
    struct live_screen *live = of(screen);

    kernel_watch_release(&live->watch);
    driver_close(live->driver);
    view_model_release(&live->view_model);
    panes_release(&live->panes);
    widget_list_release(&live->policy.list);
    loop_clear_timer(screen->host->loop, &live->clock);
    decisions_release(&live->decisions);
    pasted_reply_release(&live->pasted);
    free(live);
}

static void live_program_ended(struct screen *screen, int wait_status)
{
    if (of(screen)->decisions.edit.folder)
        decisions_take_edit(&of(screen)->decisions, wait_status);
}

static const struct screen_ops live_ops = {
    .close = live_close,
    .draw = live_draw,
    .shown = live_shown,
    .contexts = live_contexts,
    .body = live_body,
    .command = live_command,
    .mouse = live_mouse,
    .paste = live_paste,
    .selected = live_selected,
    .program_ended = live_program_ended,
    .copy = live_copy,
};

static enum status text_of(void *data, const char *id, struct strbuf *out, struct error *err)
{
    return driver_text(data, id, out, err);
}

/* Connect the parts of the screen to the driver, which is open. */
static void connect(struct live_screen *live)
{
    struct screen_host *host = live->screen.host;
    struct driver *driver = live->driver;

    live->view_model.session = driver_session(driver);
    live->view_model.keymap = &host->chrome->keymap;
    live->view_model.source = (struct view_model_source){.text = text_of, .data = driver};
    live->view_model.query.options = screen_query_options(host);
    view_model_refresh(&live->view_model);
    panes_open(&live->panes);
    live->decisions = (struct decisions){
        .host = host, .driver = driver, .view_model = &live->view_model, .panes = &live->panes};
    live->watch =
        (struct kernel_watch){.host = host, .driver = driver, .view_model = &live->view_model};
    live->pasted = (struct pasted_reply){.host = host, .driver = driver};
}

enum status screen_live_open(struct screen_host *host, const struct driver_options *options,
                             struct screen **screen, struct error *err)
{
    struct live_screen *live = mem_alloc_zeroed(1, sizeof(*live));
    const struct driver_listener listener = {
        .event = on_event, .live = on_live, .ended = on_ended, .data = live};
    enum status st;

    live->screen = (struct screen){&live_ops, host};
    st = driver_open(host->loop, options, &listener, &live->driver, err);
    if (st) {
        free(live);
        return st;
    }
    connect(live);
    *screen = &live->screen;
    return STATUS_OK;
}

struct driver *screen_live_driver(const struct screen *screen)
{
    return ((const struct live_screen *)screen)->driver;
}

const struct error *screen_live_failure(const struct screen *screen)
{
    return &((const struct live_screen *)screen)->failure;
}

bool screen_live_show_step(struct screen *screen, unsigned step)
{
    struct live_screen *live = of(screen);
    const struct step *shown = session_step(live->view_model.session, step);

    if (!shown)
        return false;
    view_model_look_at_step(&live->view_model, step);
    panes_follow_step(&live->panes, &live->view_model, false);
    layout_focus_pane(&live->panes.focus, panel_of_step(shown->kind));
    return true;
}
