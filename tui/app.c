#include "tui/app.h"

#include <stdlib.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/file.h"
#include "tui/app_state.h"
#include "tui/dump.h"

enum {
    FRAME_US = 1000000 / 30, /* between frames that nobody asked for */
    ECHO_US = 1000000 / 120, /* the same for what answers a key */
    CLOCK_US = 1000000,      /* how often the time of an activity moves on */
};

/* Frames. */

static void draw(void *data);

void app_draw_later(struct app *app, int64_t delay_us)
{
    int64_t due_us = clock_now_us() + delay_us;

    if (app->frame.is_set && app->frame.due_us <= due_us)
        return;
    loop_set_timer(app->loop, &app->frame, delay_us, draw, app);
}

/* Draw, at least `frame_us` after the last frame. */
static void draw_after(struct app *app, int64_t frame_us)
{
    int64_t wait_us = app->drawn_us + frame_us - clock_now_us();

    if (app->is_running)
        app_draw_later(app, wait_us > 0 && !script_next(&app->script) ? wait_us : 0);
}

void app_changed(struct app *app)
{
    draw_after(app, FRAME_US);
}

void app_answered(struct app *app)
{
    draw_after(app, ECHO_US);
}

static void tick(void *data)
{
    app_changed(data);
}

/* What a script says goes before what the terminal has; without either it is a small terminal. */
static struct rect screen_size(const struct app *app)
{
    if (app->size.w)
        return app->size;
    return app->term ? term_size(app->term) : (struct rect){.w = 80, .h = 24};
}

static void save_screen(struct app *app)
{
    struct error err = {0};

    if (!app->screen_path)
        return;
    if (dump_write(app->screen_path, &app->canvas, &app->theme, &err))
        app_fail(app, &err);
    free(app->screen_path);
    app->screen_path = NULL;
}

static void draw_session(struct app *app)
{
    app->scene.live = driver_live(app->driver);
    app->scene.device = driver_device(app->driver);
    app->scene.roofs = driver_roofs(app->driver);
    app->scene.is_paused = driver_is_paused(app->driver);
    app->view.is_armed = app_is_armed(app);
    view_draw(&app->view, &app->scene, &app->canvas);
    if (app->scene.live->activity && !app->clock.is_set)
        loop_set_timer(app->loop, &app->clock, CLOCK_US, tick, app);
}

static void draw(void *data)
{
    struct app *app = data;
    struct rect size = screen_size(app);

    canvas_reset(&app->canvas, size.w, size.h);
    if (app->start)
        app_draw_start(app);
    else
        draw_session(app);
    if (app->term)
        term_show(app->term, &app->canvas, &app->theme);
    app->drawn_us = clock_now_us();
    if (!app->start)
        app_arm(app);
    save_screen(app);
    app_play(app);
}

void app_fail(struct app *app, const struct error *err)
{
    app->failure = *err;
    loop_stop(app->loop);
}

/* The terminal. */

static void hear_key(void *data, struct key key)
{
    app_key(data, key);
}

static void hear_paste(void *data, const char *text, size_t len)
{
    app_paste(data, text, len);
}

static void hear_mouse(void *data, struct mouse mouse)
{
    app_mouse(data, mouse);
}

static void hear_resize(void *data)
{
    app_changed(data);
}

static void hear_return(void *data, int wait_status)
{
    app_take_edit(data, wait_status);
}

static void hear_end(void *data, const char *why)
{
    struct app *app = data;

    (void)why;
    loop_stop(app->loop);
}

/* The session. */

static void hear_event(void *data, const struct event *event)
{
    struct app *app = data;

    app->heard |= 1U << event->type;
    if (!app->driver)
        return; /* it is being opened; the first frame sees it all */
    scene_refresh(&app->scene);
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
        view_say(&app->view, ROLE_BAD, "%s", err->text);
    }
    app_changed(app);
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

/* The user's own keys; the usual ones where the file is not as it should be. */
static void load_keys(struct app *app)
{
    char *folder = file_place_folder(FILE_CONFIG), *path = file_join(folder, "keys");
    struct error err = {0};

    if (file_exists(path) && keymap_read(&app->view.keymap, path, &err))
        view_say(&app->view, ROLE_WARNING, "%s", err.text);
    free(path);
    free(folder);
}

static enum status open_term(struct app *app, struct error *err)
{
    const struct term_listener listener = {.key = hear_key,
                                           .paste = hear_paste,
                                           .mouse = hear_mouse,
                                           .resized = hear_resize,
                                           .returned = hear_return,
                                           .ended = hear_end,
                                           .data = app};

    app->canvas.is_ascii = term_is_ascii();
    if (app->script.path && !(isatty(STDIN_FILENO) && isatty(STDOUT_FILENO)))
        return STATUS_OK;
    return term_open(app->loop, &listener, &app->term, err);
}

enum status app_open_driver(struct app *app, const struct driver_options *options,
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
    app->is_running = true;
    draw(app);
    if (app->driver)
        driver_run(app->driver);
    loop_run(app->loop);
    loop_clear_timer(app->loop, &app->frame);
    loop_clear_timer(app->loop, &app->clock);
    loop_clear_timer(app->loop, &app->patience);
}

static void release(struct app *app)
{
    start_free(app->start);
    driver_close(app->driver);
    scene_release(&app->scene);
    view_release(&app->view);
    canvas_release(&app->canvas);
    script_release(&app->script);
    free(app->screen_path);
    free(app->edited_path);
    strbuf_release(&app->draft);
    loop_free(app->loop);
}

enum status app_run(const struct app_options *options, struct error *err)
{
    struct app app = {.loop = loop_new()};
    enum status st = STATUS_OK;

    view_open(&app.view);
    load_theme(&app, options->theme);
    load_keys(&app);
    if (options->keys)
        st = script_read(&app.script, options->keys, err);
    if (!st && (options->driver->problem_path || options->driver->resume))
        st = app_open_driver(&app, options->driver, err);
    else if (!st)
        app_open_start(&app, options->driver);
    if (!st)
        st = open_term(&app, err);
    if (!st) {
        run(&app);
        term_close(app.term);
        if (options->left && app.driver)
            options->left(options->data, app.driver);
        st = app.failure.code;
    }
    if (app.failure.code)
        *err = app.failure;
    release(&app);
    return st;
}
