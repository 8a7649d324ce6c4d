#include "tui/app.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "core/base/clock.h"
#include "tui/editor.h"
#include "tui/term.h"
#include "tui/view.h"

enum {
    FRAME_US = 1000000 / 30,
    CLOCK_US = 1000000,       /* how often the time of an activity moves on */
    ARMING_US = 300000,       /* for how long a decision has to be seen before it can be taken */
    LEAVING_US = 2 * 1000000, /* within which a second `q` leaves */
};

struct app {
    struct loop *loop;
    struct term *term;
    struct driver *driver;
    struct scene scene;
    struct view view;
    struct canvas canvas;
    struct theme theme;
    struct loop_timer frame, clock;
    int64_t drawn_us;     /* when a frame was shown last */
    unsigned seen_step;   /* the step that the decision bar shows; 0: none */
    int64_t armed_us;     /* from when on it can be decided */
    int64_t leaving_us;   /* until when another `q` leaves */
    unsigned vetoed_step; /* whose reason is being asked for */
    unsigned edited_step; /* which the editor, or the draft, is about */
    char *edited_path;    /* the file that is in the editor; NULL: none is */
    struct strbuf draft;  /* an edit that was not taken: editing goes on with it */
    struct error failure;
};

/* Frames. */

static void draw(void *data);

static void draw_later(struct app *app, int64_t delay_us)
{
    int64_t due_us = clock_now_us() + delay_us;

    if (app->frame.is_set && app->frame.due_us <= due_us)
        return;
    loop_set_timer(app->loop, &app->frame, delay_us, draw, app);
}

/* Something that is shown has changed. */
static void changed(struct app *app)
{
    int64_t wait_us = app->drawn_us + FRAME_US - clock_now_us();

    if (app->term)
        draw_later(app, wait_us > 0 ? wait_us : 0);
}

/* The step that waits, if it is the one in view; else 0. */
static unsigned step_in_view(const struct app *app)
{
    const struct step *step = scene_waiting(&app->scene);

    return step && app->scene.step == step->number ? step->number : 0;
}

static bool is_armed(const struct app *app)
{
    unsigned step = step_in_view(app);

    return step && step == app->seen_step && clock_now_us() >= app->armed_us;
}

/* A step that has just been shown is armed later, and shown again then. */
static void arm(struct app *app)
{
    unsigned step = step_in_view(app);

    if (step != app->seen_step)
        app->armed_us = app->drawn_us + ARMING_US;
    app->seen_step = step;
    if (step && app->drawn_us < app->armed_us)
        draw_later(app, app->armed_us - app->drawn_us);
}

static void tick(void *data)
{
    changed(data);
}

static void draw(void *data)
{
    struct app *app = data;
    struct rect size = term_size(app->term);

    app->scene.live = driver_live(app->driver);
    app->scene.device = driver_device(app->driver);
    app->scene.is_paused = driver_is_paused(app->driver);
    app->view.is_armed = is_armed(app);
    canvas_reset(&app->canvas, size.w, size.h);
    view_draw(&app->view, &app->scene, &app->canvas);
    term_show(app->term, &app->canvas, &app->theme);
    app->drawn_us = clock_now_us();
    arm(app);
    if (app->scene.live->activity && !app->clock.is_set)
        loop_set_timer(app->loop, &app->clock, CLOCK_US, tick, app);
}

/* Decisions. */

/*
 * The step that can be decided now.  A key that comes too early is dropped,
 * and moves the moment on, so that a whole row of keys typed ahead is.
 */
static const struct step *decidable(struct app *app)
{
    const struct step *step = scene_waiting(&app->scene);

    if (step && is_armed(app))
        return step;
    if (step && app->scene.step != step->number)
        scene_look_at_step(&app->scene, step->number);
    app->armed_us = clock_now_us() + ARMING_US;
    return NULL;
}

static bool decide(struct app *app, unsigned step, enum decision decision, const char *words)
{
    const char *text = decision == DECISION_EDITED ? words : NULL;
    const char *reason = decision == DECISION_VETOED ? words : NULL;
    struct error err = {0};

    if (!driver_decide(app->driver, step, decision, text, reason, &err))
        return true;
    view_say(&app->view, ROLE_BAD, "%s", err.text);
    return false;
}

/* From here on policies decide, on every kind of step. */
static void run_on(struct app *app, unsigned step)
{
    struct error err = {0};
    enum status st = STATUS_OK;

    if (!decide(app, step, DECISION_ACCEPTED, NULL))
        return;
    for (enum step_kind kind = 0; !st && kind < (enum step_kind)STEP_KINDS; kind++)
        st = driver_set_policy(app->driver, kind, GATE_AUTO, &err);
    if (st)
        view_say(&app->view, ROLE_BAD, "%s", err.text);
}

static enum status run_editor(struct app *app, const char *path, struct error *err)
{
    char *command = editor_command(path);
    const char *const argv[] = {"sh", "-c", command, NULL};
    enum status st = term_run(app->term, argv, err);

    free(command);
    return st;
}

static void edit(struct app *app, const struct step *step)
{
    bool has_draft = app->draft.len > 0 && app->edited_step == step->number;
    const struct strbuf *text = has_draft ? &app->draft : &app->scene.step_text;
    struct error err = {0};
    enum status st = editor_write(strbuf_cstr(text), &app->edited_path, &err);

    app->edited_step = step->number;
    if (!st)
        st = run_editor(app, app->edited_path, &err);
    if (!st)
        return;
    view_say(&app->view, ROLE_BAD, "%s", err.text);
    free(app->edited_path);
    app->edited_path = NULL;
}

/* Take what the editor left, if it is an edit of what still waits. */
static void take_draft(struct app *app)
{
    const struct step *step = scene_waiting(&app->scene);

    if (!step || step->number != app->edited_step) {
        view_say(&app->view, ROLE_WARNING, "step %u waits no more", app->edited_step);
        return;
    }
    scene_look_at_step(&app->scene, step->number);
    if (strcmp(strbuf_cstr(&app->draft), strbuf_cstr(&app->scene.step_text)) == 0)
        view_say(&app->view, ROLE_TEXT, "unchanged: step %u still waits", step->number);
    else if (!decide(app, step->number, DECISION_EDITED, strbuf_cstr(&app->draft)))
        return; /* the draft stays for another try */
    strbuf_release(&app->draft);
}

static void handle_return(void *data, int wait_status)
{
    struct app *app = data;
    struct error err = {0};

    strbuf_release(&app->draft);
    if (!WIFEXITED(wait_status) || WEXITSTATUS(wait_status) != 0)
        view_say(&app->view, ROLE_WARNING, "the editor failed; the text is in %s",
                 app->edited_path);
    else if (editor_read(app->edited_path, &app->draft, &err))
        view_say(&app->view, ROLE_BAD, "%s", err.text);
    else
        take_draft(app);
    free(app->edited_path);
    app->edited_path = NULL;
    changed(app);
}

static void ask_for_reason(struct app *app, const struct step *step)
{
    app->vetoed_step = step->number;
    view_ask(&app->view, "veto step %u, because: ", step->number);
}

static void take_decision(struct app *app, enum screen_command command)
{
    const struct step *step = decidable(app);

    if (!step)
        return;
    if (command == COMMAND_ACCEPT)
        decide(app, step->number, DECISION_ACCEPTED, NULL);
    else if (command == COMMAND_RUN_ON)
        run_on(app, step->number);
    else if (command == COMMAND_EDIT)
        edit(app, step);
    else
        ask_for_reason(app, step);
}

/* Keys. */

static void leave(struct app *app)
{
    int64_t now = clock_now_us();

    if (now < app->leaving_us || app->failure.code || app->scene.session->stage == STAGE_CLOSED) {
        loop_stop(app->loop);
        return;
    }
    app->leaving_us = now + LEAVING_US;
    view_say(&app->view, ROLE_WARNING, "q again leaves; the session can be resumed");
}

static void interrupt(struct app *app)
{
    if (driver_live(app->driver)->activity) {
        driver_interrupt(app->driver);
        view_say(&app->view, ROLE_WARNING, "interrupted; Space goes on, q leaves");
    } else {
        view_say(&app->view, ROLE_TEXT, "nothing runs; q leaves");
    }
}

static void pause_or_go_on(struct app *app)
{
    if (driver_is_paused(app->driver))
        driver_run(app->driver);
    else
        driver_pause(app->driver);
}

static void run_command(struct app *app, const struct keymap_row *row)
{
    if (view_command(&app->view, &app->scene, row))
        return;
    switch ((int)row->command) {
    case COMMAND_ACCEPT:
    case COMMAND_EDIT:
    case COMMAND_VETO:
    case COMMAND_RUN_ON:
        take_decision(app, row->command);
        break;
    case COMMAND_PAUSE:
        pause_or_go_on(app);
        break;
    case COMMAND_INTERRUPT:
        interrupt(app);
        break;
    case COMMAND_REDRAW:
        term_redraw(app->term);
        break;
    case COMMAND_SUSPEND:
        term_suspend(app->term);
        break;
    case COMMAND_QUIT:
        leave(app);
        break;
    default:
        break;
    }
}

/* The reason of a veto is being typed. */
static void prompt_key(struct app *app, struct key key)
{
    enum prompt_line_state state = prompt_line_key(&app->view.prompt, key);

    if (state == PROMPT_LINE_EDITING)
        return;
    if (state == PROMPT_LINE_ENTERED)
        decide(app, app->vetoed_step, DECISION_VETOED, strbuf_cstr(&app->view.prompt.text));
    view_close_prompt(&app->view);
}

static void handle_key(void *data, struct key key)
{
    struct app *app = data;
    const struct keymap_row *row = keymap_find(key, view_contexts(&app->view, &app->scene));

    app->view.message[0] = '\0';
    if (app->view.is_prompting)
        prompt_key(app, key);
    else if (row)
        run_command(app, row);
    changed(app);
}

static void handle_paste(void *data, const char *text, size_t len)
{
    struct app *app = data;

    if (app->view.is_prompting)
        prompt_line_insert(&app->view.prompt, text, len);
    changed(app);
}

static void handle_resize(void *data)
{
    changed(data);
}

static void handle_end(void *data, const char *why)
{
    struct app *app = data;

    (void)why;
    loop_stop(app->loop);
}

/* The session. */

static void hear_event(void *data, const struct event *event)
{
    struct app *app = data;

    (void)event;
    if (!app->driver)
        return; /* it is being opened; the first frame sees it all */
    scene_refresh(&app->scene);
    changed(app);
}

static void hear_live(void *data)
{
    struct app *app = data;

    if (app->driver)
        changed(app);
}

static void hear_ended(void *data, const struct error *err)
{
    struct app *app = data;

    if (err) {
        app->failure = *err;
        view_say(&app->view, ROLE_BAD, "%s", err->text);
    }
    changed(app);
}

static enum status text_of(void *data, const char *id, struct strbuf *out, struct error *err)
{
    return driver_text(data, id, out, err);
}

/* Opening. */

static void load_theme(struct app *app, const char *name)
{
    struct error err = {0};

    app->theme = theme_builtin();
    if (theme_load(name ? name : "dark", &app->theme, &err))
        view_say(&app->view, ROLE_WARNING, "%s", err.text);
}

static enum status open_term(struct app *app, struct error *err)
{
    const struct term_listener listener = {.key = handle_key,
                                           .paste = handle_paste,
                                           .resized = handle_resize,
                                           .returned = handle_return,
                                           .ended = handle_end,
                                           .data = app};

    app->canvas.is_ascii = term_is_ascii();
    return term_open(app->loop, &listener, &app->term, err);
}

static enum status open_driver(struct app *app, const struct driver_options *options,
                               struct error *err)
{
    const struct driver_listener listener = {
        .event = hear_event, .live = hear_live, .ended = hear_ended, .data = app};
    enum status st = driver_open(app->loop, options, &listener, &app->driver, err);

    if (st)
        return st;
    app->scene.session = driver_session(app->driver);
    app->scene.source = (struct scene_source){.text = text_of, .data = app->driver};
    scene_refresh(&app->scene);
    return STATUS_OK;
}

static void run(struct app *app)
{
    draw(app);
    driver_run(app->driver);
    loop_run(app->loop);
    loop_clear_timer(app->loop, &app->frame);
    loop_clear_timer(app->loop, &app->clock);
}

static void release(struct app *app)
{
    driver_close(app->driver);
    scene_release(&app->scene);
    view_release(&app->view);
    canvas_release(&app->canvas);
    free(app->edited_path);
    strbuf_release(&app->draft);
    loop_free(app->loop);
}

enum status app_run(const struct app_options *options, struct error *err)
{
    struct app app = {.loop = loop_new()};
    enum status st;

    view_open(&app.view);
    load_theme(&app, options->theme);
    st = open_driver(&app, options->driver, err);
    if (!st)
        st = open_term(&app, err);
    if (!st) {
        run(&app);
        term_close(app.term);
        if (options->left)
            options->left(options->data, app.driver);
        st = app.failure.code;
    }
    if (app.failure.code)
        *err = app.failure;
    release(&app);
    return st;
}
