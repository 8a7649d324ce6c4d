#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tui/app/app_state.h"
#include "tui/frame/status_bars.h"

/* The screen of the session at work: its panes, and what the engineer may tell it. */

enum { CLOCK_US = 1000000 }; /* how often the time of an activity moves on */

static const struct screen_ops live_ops;

static void tick(void *data)
{
    app_changed(data);
}

static void hear_event(void *data, const struct event *event)
{
    struct app *app = data;

    app->heard |= 1U << event->type;
    if (!app->driver)
        return; /* it is being opened; the first frame sees it all */
    if (event->type == EVENT_EVALUATION_STARTED)
        candidate_query_cancel(&app->view_model.query, "a kernel of the session is timed now");
    view_model_refresh(&app->view_model);
    app_changed(app);
}

static void hear_live(void *data)
{
    struct app *app = data;

    if (app->driver)
        app_changed(app);
}

static void hear_ended(void *data, const struct error *err)
{
    struct app *app = data;

    if (err) {
        app->failure = *err;
        chrome_say(&app->chrome, ROLE_BAD, "%s", err->text);
    }
    app_changed(app);
}

/* A pane may be too narrow for what is wrong. */
static void hear_inspected(void *data, const struct candidate_query *query)
{
    struct app *app = data;

    if (*query->trouble)
        chrome_say(&app->chrome, ROLE_BAD, "%s: %s", query->what, query->trouble);
    app_changed(app);
}

struct candidate_query_options app_query_options(struct app *app)
{
    return (struct candidate_query_options){.loop = app->loop,
                                            .worker = app->driver_options.evaluator,
                                            .changed = hear_inspected,
                                            .data = app};
}

static enum status text_of(void *data, const char *id, struct strbuf *out, struct error *err)
{
    return driver_text(data, id, out, err);
}

/* Whether a session is at work that a new one would break off. */
static bool is_at_work(const struct app *app)
{
    return app->driver && driver_live(app->driver)->activity;
}

static void show(struct app *app, struct driver *driver)
{
    while (app->screen_count > 0)
        app_pop(app);
    app->failure = (struct error){0};
    app->driver = driver;
    app->view_model.session = driver_session(driver);
    app->view_model.source = (struct view_model_source){.text = text_of, .data = driver};
    app->view_model.query.options = app_query_options(app);
    view_model_refresh(&app->view_model);
    panes_open(&app->panes);
    app->live.ops = &live_ops;
    app_push(app, &app->live);
    if (app->is_running)
        driver_run(driver); /* else app_run() does it, after the first frame */
}

enum status app_open_live(struct app *app, const struct driver_options *options, struct error *err)
{
    const struct driver_listener listener = {
        .event = hear_event, .live = hear_live, .ended = hear_ended, .data = app};
    struct driver *driver = NULL;
    enum status st;

    if (is_at_work(app))
        return error_set(err, STATUS_INVALID, "session %s is %s: Ctrl-C there interrupts it first",
                         app->view_model.session->id, driver_live(app->driver)->activity);
    st = driver_open(app->loop, options, &listener, &driver, err);
    if (!st)
        show(app, driver);
    return st;
}

/* Drawing. */

/* What waits comes into the middle column, unless that is where the engineer is. */
static void show_waiting(struct app *app)
{
    const struct step *step = view_model_waiting(&app->view_model);
    struct layout_focus *focus = &app->panes.focus;

    if (step && step->number != app->read_progress.step && focus->pane != focus->middle)
        focus->middle = panel_of_step(step->kind);
}

/* Take note of how much of the text that is to be decided on has been drawn; return its pane. */
static enum pane take_sight(struct app *app, const struct layout *layout)
{
    const struct step *step = view_model_waiting(&app->view_model);
    enum pane pane = panel_of_step(step ? step->kind : STEP_KEEP);
    struct panel_body body = panes_body_of(&app->panes, &app->view_model, pane);
    bool is_here =
        step && step->number == app->view_model.step && layout->panes[pane].w > 0 && !body.is_aside;

    if (step)
        read_progress_take(&app->read_progress, step->number, is_here ? body.text : NULL);
    return pane;
}

static void draw_lines(struct app *app, const struct layout *layout, struct canvas *canvas)
{
    struct status_bars_facts facts = {.keymap = &app->chrome.keymap,
                                      .is_armed = app_is_armed(app),
                                      .pane = (int)take_sight(app, layout) + 1,
                                      .read_progress = &app->read_progress};
    const struct view_model *view_model = &app->view_model;

    status_bars_draw_header(view_model, canvas_area(canvas, layout->header));
    status_bars_draw_decision(view_model, &facts, canvas_area(canvas, layout->bar));
    if (layout->kind == LAYOUT_SMALL)
        status_bars_draw_decision(view_model, &facts, canvas_area(canvas, layout->status));
    else
        status_bars_draw_status(view_model, canvas_area(canvas, layout->status));
}

static struct rect live_draw(struct screen *screen, struct canvas *canvas)
{
    struct app *app = screen->app;
    struct layout layout;

    show_waiting(app);
    layout = layout_of(canvas->w, canvas->h, &app->panes.focus);
    app->view_model.live = driver_live(app->driver);
    app->view_model.device = driver_device(app->driver);
    app->view_model.is_paused = driver_is_paused(app->driver);
    app->view_model.trouble = app->failure.code ? app->failure.text : NULL;
    app->view_model.can_resume = driver_can_resume(app->driver);
    if (app->view_model.live->activity && !app->clock.is_set)
        loop_set_timer(app->loop, &app->clock, CLOCK_US, tick, app);
    if (!panes_draw(&app->panes, &app->view_model, &app->chrome.search, &layout, canvas))
        return (struct rect){0};
    draw_lines(app, &layout, canvas);
    if (app->policy.is_open)
        policy_menu_draw(&app->policy, &app->view_model.session->gate, canvas);
    return layout.message.h ? layout.message : layout.status;
}

/* Commands. */

static void interrupt(struct app *app)
{
    if (driver_live(app->driver)->activity) {
        driver_interrupt(app->driver);
        chrome_say(&app->chrome, ROLE_WARNING, "interrupted; Space goes on, q leaves");
    } else {
        chrome_say(&app->chrome, ROLE_TEXT, "nothing runs; q leaves");
    }
}

static void pause_or_go_on(struct app *app)
{
    if (driver_is_paused(app->driver))
        driver_run(app->driver);
    else
        driver_pause(app->driver);
}

/* Say what came of a request to the driver. */
static void report(struct app *app, enum status st, const struct error *err, const char *done)
{
    chrome_say(&app->chrome, st ? ROLE_BAD : ROLE_TEXT, "%s", st ? err->text : done);
}

static void say_to_agent(struct app *app, const char *text)
{
    struct error err = {0};

    report(app, driver_say(app->driver, text, &err), &err,
           "the agent reads it with the next prompt");
}

static void attach(struct app *app, const char *path)
{
    struct error err = {0};

    report(app, driver_attach(app->driver, path, &err), &err, "it goes with the next analysis");
}

static void enter_tag(struct app *app, const char *tag)
{
    struct error err = {0};

    if (driver_tag(app->driver, app->asked_attempt, tag, &err))
        chrome_say(&app->chrome, ROLE_BAD, "%s", err.text);
}

static void tag(struct app *app, const char *argument)
{
    static const struct app_prompt prompt = {.entered = enter_tag};
    const struct attempt *attempt =
        session_attempt(app->view_model.session, app->view_model.attempt);
    char label[CHROME_LABEL_SIZE];

    app->asked_attempt = app->view_model.attempt;
    if (!attempt || *argument) {
        enter_tag(app, argument);
        return;
    }
    snprintf(label, sizeof(label), "call #%u: ", attempt->number);
    app_ask(app, &prompt, label, attempt->tag ? attempt->tag : "");
}

/* The session at work is read as it is on disk: nothing but its journal is forked. */
static void enter_agent(struct app *app, const char *agent)
{
    struct recording parent = {0};
    struct error err = {0};
    enum status st = recording_open(app->view_model.session->id, &parent, &err);

    if (!st)
        st = app_open_fork(app, &parent, app->asked_step, agent, &err);
    if (st)
        chrome_say(&app->chrome, ROLE_BAD, "%s", err.text);
    recording_release(&parent);
}

static void branch(struct app *app)
{
    static const struct app_prompt prompt = {.line = {.history = "agents"}, .entered = enter_agent};

    app->asked_step = app->view_model.step;
    app_ask_for_fork(app, &prompt, &app->view_model);
}

static void undo(struct app *app)
{
    struct error err = {0};

    report(app, driver_undo(app->driver, &err), &err, "taken back; U lets it hold again");
}

static void redo(struct app *app)
{
    struct error err = {0};

    report(app, driver_redo(app->driver, &err), &err, "it holds again");
}

static void end_run(struct app *app)
{
    struct error err = {0};

    report(app, driver_end_run(app->driver, &err), &err, "the next step waits for you");
}

static void run_on(struct app *app, const struct call *call)
{
    if (view_model_waiting(&app->view_model))
        app_decide(app, call);
    else
        app_run_on(app, call->argument);
}

static void switch_policy(struct app *app)
{
    enum step_kind kind = policy_menu_kind(&app->policy);
    enum gate_mode mode =
        app->view_model.session->gate.modes[kind] == GATE_ASK ? GATE_AUTO : GATE_ASK;
    struct error err = {0};

    if (driver_set_policy(app->driver, kind, mode, &err))
        chrome_say(&app->chrome, ROLE_BAD, "%s", err.text);
}

/* The place of a word in a list that NULL ends; -1 where it is not in it. */
static int choice_of(const char *word, size_t len, const char *const *choices)
{
    for (int i = 0; choices[i]; i++)
        if (strlen(choices[i]) == len && strncmp(choices[i], word, len) == 0)
            return i;
    return -1;
}

/* "keep auto"; without it the menu opens. */
static void set_policy(struct app *app, const char *text)
{
    size_t len = strcspn(text, " ");
    const char *rest = text + len + strspn(text + len, " ");
    int kind = choice_of(text, len, step_kind_names);
    int mode = choice_of(rest, strlen(rest), gate_mode_names);
    struct error err = {0};

    if (!*text)
        app->policy.is_open = true;
    else if (kind < 0 || mode < 0)
        chrome_say(&app->chrome, ROLE_BAD,
                   "\"%s\": write a kind of step and auto or ask: keep auto", text);
    else if (driver_set_policy(app->driver, (enum step_kind)kind, (enum gate_mode)mode, &err))
        chrome_say(&app->chrome, ROLE_BAD, "%s", err.text);
    else
        chrome_say(&app->chrome, ROLE_TEXT, "%s: %s", step_kind_names[kind], gate_mode_names[mode]);
}

/* What is about the session as a whole. */
static bool session_command(struct app *app, const struct call *call)
{
    switch ((int)call->row->command) {
    case COMMAND_PAUSE:
        pause_or_go_on(app);
        return true;
    case COMMAND_INTERRUPT:
        interrupt(app);
        return true;
    case COMMAND_SAY:
        say_to_agent(app, call->argument);
        return true;
    case COMMAND_BRANCH:
        branch(app);
        return true;
    case COMMAND_TAG:
        tag(app, call->argument);
        return true;
    case COMMAND_ATTACH:
        attach(app, call->argument);
        return true;
    case COMMAND_POLICY:
        set_policy(app, call->argument);
        return true;
    default:
        return false;
    }
}

/* What is about decisions. */
static bool decision_command(struct app *app, const struct call *call)
{
    switch ((int)call->row->command) {
    case COMMAND_ACCEPT:
    case COMMAND_EDIT:
    case COMMAND_VETO:
    case COMMAND_RETRY:
        app_decide(app, call);
        return true;
    case COMMAND_RUN_ON:
        run_on(app, call);
        return true;
    case COMMAND_END_RUN:
        end_run(app);
        return true;
    case COMMAND_UNDO:
        undo(app);
        return true;
    case COMMAND_REDO:
        redo(app);
        return true;
    default:
        return false;
    }
}

/* While the menu of policies is open, it comes first. */
static bool menu_command(struct app *app, enum screen_command command)
{
    if (!app->policy.is_open)
        return false;
    if (command != COMMAND_SWITCH)
        return policy_menu_command(&app->policy, command);
    switch_policy(app);
    return true;
}

static bool live_command(struct screen *screen, const struct call *call)
{
    struct app *app = screen->app;

    return menu_command(app, call->row->command) || session_command(app, call) ||
           decision_command(app, call) || panes_command(&app->panes, &app->view_model, call);
}

static unsigned live_contexts(const struct screen *screen)
{
    const struct app *app = screen->app;
    unsigned contexts = panes_contexts(&app->panes) | CONTEXT_LIVE;

    if (app->policy.is_open)
        return CONTEXT_POLICY;
    if (view_model_waiting(&app->view_model))
        contexts |= CONTEXT_WAITING;
    else if (app->view_model.session->now.stage != STAGE_CLOSED)
        contexts |= CONTEXT_RUNNING;
    return contexts;
}

static struct panel_body live_body(struct screen *screen)
{
    return panes_body(&screen->app->panes, &screen->app->view_model);
}

static void live_selected(struct screen *screen)
{
    panes_follow_selection(&screen->app->panes, &screen->app->view_model);
}

static void live_copy(struct screen *screen, struct strbuf *out)
{
    panes_copy(&screen->app->panes, &screen->app->view_model, out);
}

static void live_mouse(struct screen *screen, const struct canvas *canvas, struct mouse mouse)
{
    panes_mouse(&screen->app->panes, &screen->app->view_model, canvas, mouse);
}

static void live_close(struct screen *screen)
{
    struct app *app = screen->app;

    driver_close(app->driver);
    app->driver = NULL;
    view_model_release(&app->view_model);
    panes_release(&app->panes);
    widget_list_release(&app->policy.list);
    app->policy = (struct policy_menu){0};
    loop_clear_timer(app->loop, &app->clock);
    app->seen_step = 0;
    strbuf_release(&app->draft);
    strbuf_release(&app->pasted);
}

static const struct screen_ops live_ops = {
    .close = live_close,
    .draw = live_draw,
    .contexts = live_contexts,
    .body = live_body,
    .command = live_command,
    .mouse = live_mouse,
    .selected = live_selected,
    .copy = live_copy,
};
