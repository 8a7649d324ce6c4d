#include "tui/app/app.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/system/file.h"
#include "tui/app/app_commands.h"
#include "tui/app/app_mouse.h"
#include "tui/frame/layout_pin.h"
#include "tui/screens/screen_live.h"
#include "tui/screens/screen_replay.h"
#include "tui/screens/screen_review.h"
#include "tui/screens/screen_start.h"
#include "tui/screens/suite/screen_suite.h"

static void on_key(void *data, struct key key)
{
    app_key(data, key);
}

static void on_paste(void *data, const char *text, size_t len)
{
    app_paste(data, text, len);
}

static void on_mouse(void *data, struct mouse mouse)
{
    app_mouse(data, mouse);
}

static void on_resize(void *data)
{
    app_changed(data);
}

static void on_return(void *data, int wait_status)
{
    struct screen *top = app_top(data);

    if (top->ops->program_ended)
        top->ops->program_ended(top, wait_status);
}

static void on_end(void *data, const char *why)
{
    struct app *app = data;

    (void)why;
    loop_stop(app->host.loop);
}

static void host_changed(struct screen_host *host)
{
    app_changed((struct app *)host);
}

static void host_draw_later(struct screen_host *host, int64_t delay_us)
{
    app_draw_later((struct app *)host, delay_us);
}

static void host_push(struct screen_host *host, struct screen *screen)
{
    app_push((struct app *)host, screen);
}

/* A busy session is not closed for another one: the engineer has to interrupt it first. */
static enum status check_idle(const struct app *app, struct error *err)
{
    struct driver *driver = app->live ? screen_live_driver(app->live) : NULL;

    if (!driver || !driver_live(driver)->activity)
        return STATUS_OK;
    return error_set(err, STATUS_INVALID, "session %s is %s: interrupt it there with Ctrl-C first",
                     driver_session(driver)->id, driver_live(driver)->activity);
}

/* Before the first frame, run() starts the driver. */
static enum status host_open_session(struct screen_host *host, const struct driver_options *options,
                                     struct error *err)
{
    struct app *app = (struct app *)host;
    struct screen *live = NULL;
    enum status st = check_idle(app, err);

    if (!st)
        st = screen_live_open(host, options, &live, err);
    if (st)
        return st;
    if (app->live)
        app_remove(app, app->live);
    for (size_t i = 0; i < app->screen_count; i++)
        if (app->screens[i]->ops->session_opened)
            app->screens[i]->ops->session_opened(app->screens[i]);
    app->live = live;
    app_push(app, live);
    if (app->is_running)
        driver_run(screen_live_driver(live));
    return STATUS_OK;
}

static bool host_show_step(struct screen_host *host, const char *session, unsigned step)
{
    struct app *app = (struct app *)host;

    if (!app->live || strcmp(driver_session(screen_live_driver(app->live))->id, session) != 0 ||
        !screen_live_show_step(app->live, step))
        return false;
    while (app_top(app) != app->live)
        app_remove(app, app_top(app));
    return true;
}

static void host_ask(struct screen_host *host, const struct screen_prompt *prompt, void *data,
                     const char *label, const char *text)
{
    app_ask((struct app *)host, prompt, data, label, text);
}

static void host_ask_for_command(struct screen_host *host, const char *begun)
{
    app_ask_for_command((struct app *)host, begun);
}

static enum status host_run_program(struct screen_host *host, const char *const *argv,
                                    struct error *err)
{
    struct app *app = (struct app *)host;

    return app->term ? term_run(app->term, argv, err)
                     : error_set(err, STATUS_UNAVAILABLE,
                                 "%s: there is no terminal: run kforge in one", argv[0]);
}

static void host_note_event(struct screen_host *host, enum event_type type)
{
    script_player_note_event(&((struct app *)host)->player, type);
}

static const struct screen_host_ops host_ops = {
    .changed = host_changed,
    .draw_later = host_draw_later,
    .push = host_push,
    .open_session = host_open_session,
    .show_step = host_show_step,
    .ask = host_ask,
    .ask_for_command = host_ask_for_command,
    .run_program = host_run_program,
    .note_event = host_note_event,
};

static void act_key(void *data, struct key key)
{
    app_key(data, key);
}

static void act_call(void *data, const struct call *call)
{
    app_call(data, call);
}

static void act_resize(void *data, int w, int h)
{
    struct app *app = data;

    app->size = (struct rect){.w = w, .h = h};
}

static void act_changed(void *data)
{
    app_changed(data);
}

static void act_failed(void *data, const struct error *err)
{
    app_fail(data, err);
}

/*
 * End the program after a key script that plays without a terminal. On a terminal the engineer
 * continues by hand.
 */
static void act_finished(void *data)
{
    struct app *app = data;

    if (!app->term)
        loop_stop(app->host.loop);
}

static enum status open_script(struct app *app, const char *path, struct error *err)
{
    const struct script_actor actor = {.key = act_key,
                                       .call = act_call,
                                       .resize = act_resize,
                                       .changed = act_changed,
                                       .failed = act_failed,
                                       .finished = act_finished,
                                       .data = app};

    return path ? script_player_open(&app->player, path, app->host.loop, &actor, err) : STATUS_OK;
}

static void load_theme(struct app *app, const char *name)
{
    struct error err = {0};

    app->theme = theme_builtin();
    if (theme_load(name ? name : "dark", &app->theme, &err))
        chrome_say(&app->chrome, ROLE_WARNING, "%s", err.text);
}

/* Read the user's key file. If it has an error, the default keys are used. */
static void load_keys(struct app *app)
{
    char *folder = file_place_folder(FILE_CONFIG), *path = file_join(folder, "keys");
    struct error err = {0};

    if (file_exists(path) && keymap_read(&app->chrome.keymap, path, &err))
        chrome_say(&app->chrome, ROLE_WARNING, "%s", err.text);
    free(path);
    free(folder);
}

static enum status open_term(struct app *app, struct error *err)
{
    const struct term_listener listener = {.key = on_key,
                                           .paste = on_paste,
                                           .mouse = on_mouse,
                                           .resized = on_resize,
                                           .returned = on_return,
                                           .ended = on_end,
                                           .data = app};

    app->canvas.is_ascii = term_is_ascii();
    if (app->player.script.path && !(isatty(STDIN_FILENO) && isatty(STDOUT_FILENO)))
        return STATUS_OK;
    return term_open(app->host.loop, &listener, &app->term, err);
}

static enum status open_screen(struct app *app, const struct app_options *options,
                               struct error *err)
{
    if (options->driver->problem_path || options->driver->resume)
        return host_open_session(&app->host, options->driver, err);
    if (options->begin == APP_BEGIN_REPLAY)
        return screen_replay_open(&app->host, options->session, 0, err);
    if (options->begin == APP_BEGIN_REVIEW)
        return screen_review_open(&app->host, options->session, options->filter, err);
    if (options->begin == APP_BEGIN_SUITE)
        return screen_suite_open(&app->host, options->suite, err);
    screen_start_open(&app->host);
    return STATUS_OK;
}

static void run(struct app *app)
{
    app->is_running = true;
    app_draw(app);
    if (app->live)
        driver_run(screen_live_driver(app->live));
    loop_run(app->host.loop);
    loop_clear_timer(app->host.loop, &app->frame);
}

static void release(struct app *app)
{
    while (app->screen_count > 0)
        app_remove(app, app_top(app));
    chrome_release(&app->chrome);
    canvas_release(&app->canvas);
    script_player_release(&app->player);
    free(app->screen_path);
    loop_free(app->host.loop);
}

/* The error that ended the run: of the application, or of the session. */
static enum status failure_of(const struct app *app, struct error *err)
{
    const struct error *failure = &app->failure;

    if (!failure->code && app->live)
        failure = screen_live_failure(app->live);
    if (failure->code)
        *err = *failure;
    return failure->code;
}

static void init(struct app *app, const struct app_options *options)
{
    app->options = *options->driver;
    app->host = (struct screen_host){.ops = &host_ops,
                                     .loop = loop_new(),
                                     .chrome = &app->chrome,
                                     .options = &app->options,
                                     .tolerance = options->tolerance};
    app->left = options->left;
    app->left_data = options->data;
    chrome_open(&app->chrome);
    load_theme(app, options->theme);
    load_keys(app);
    app->chrome.pinned = layout_pin_read();
}

enum status app_run(const struct app_options *options, struct error *err)
{
    struct app app = {0};
    enum status st;

    init(&app, options);
    st = open_script(&app, options->keys, err);
    if (!st)
        st = open_screen(&app, options, err);
    if (!st)
        st = open_term(&app, err);
    if (!st) {
        run(&app);
        term_close(app.term);
        st = failure_of(&app, err);
    }
    release(&app);
    return st;
}
