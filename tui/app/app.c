#include "tui/app/app.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/system/clock.h"
#include "core/system/file.h"
#include "tui/app/app_state.h"
#include "tui/term/screenshot.h"

/* Between frames that nobody at the keys asked for. */
enum { FRAME_US = 1000000 / 30 };

/* Frames. */

static void draw(void *data);

void app_draw_later(struct app *app, int64_t delay_us)
{
    int64_t due_us = clock_now_us() + delay_us;

    if (app->frame.is_set && app->frame.due_us <= due_us)
        return;
    loop_set_timer(app->loop, &app->frame, delay_us, draw, app);
}

/* A script reads the frames: it waits for none. */
void app_changed(struct app *app)
{
    int64_t wait_us = app->drawn_us + FRAME_US - clock_now_us();

    if (app->is_running)
        app_draw_later(app, wait_us > 0 && !script_next(&app->script) ? wait_us : 0);
}

void app_answered(struct app *app)
{
    if (app->is_running)
        app_draw_later(app, 0);
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
    if (screenshot_write(app->screen_path, &app->canvas, &app->theme, &err))
        app_fail(app, &err);
    free(app->screen_path);
    app->screen_path = NULL;
}

static void draw(void *data)
{
    struct app *app = data;
    struct screen *top = app_top(app);
    struct rect size = screen_size(app), message;

    canvas_reset(&app->canvas, size.w, size.h);
    message = top->ops->draw(top, &app->canvas);
    app->chrome.contexts = CONTEXT_ALWAYS | top->ops->contexts(top);
    if (message.w)
        chrome_draw(&app->chrome, &app->canvas, message);
    if (app->term)
        term_show(app->term, &app->canvas, &app->theme);
    app->drawn_us = clock_now_us();
    if (top == &app->live)
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
    struct app *app = data;

    if (app->edited_path)
        app_take_edit(app, wait_status);
}

static void hear_end(void *data, const char *why)
{
    struct app *app = data;

    (void)why;
    loop_stop(app->loop);
}

/* Screens. */

struct screen *app_top(const struct app *app)
{
    return app->screens[app->screen_count - 1];
}

void app_pop(struct app *app)
{
    struct screen *top = app_top(app);

    app->screen_count--;
    top->ops->close(top);
}

/* With no place left, the one that lies on the lowest makes room. */
void app_push(struct app *app, struct screen *screen)
{
    if (app->screen_count == APP_SCREENS) {
        app->screens[1]->ops->close(app->screens[1]);
        app->screen_count--;
        memmove(&app->screens[1], &app->screens[2],
                (app->screen_count - 1) * sizeof(app->screens[0]));
    }
    screen->app = app;
    app->screens[app->screen_count++] = screen;
    pattern_set(&app->chrome.search, "");
    app_changed(app);
}

bool app_show_step(struct app *app, const char *session, unsigned step)
{
    if (!app->driver || strcmp(app->view_model.session->id, session) != 0 ||
        !session_step(app->view_model.session, step))
        return false;
    while (app_top(app) != &app->live)
        app_pop(app);
    view_model_look_at_step(&app->view_model, step);
    layout_focus_pane(&app->panes.focus,
                      panel_of_step(session_step(app->view_model.session, step)->kind));
    return true;
}

/* Opening. */

static void load_theme(struct app *app, const char *name)
{
    struct error err = {0};

    app->theme = theme_builtin();
    if (theme_load(name ? name : "dark", &app->theme, &err))
        chrome_say(&app->chrome, ROLE_WARNING, "%s", err.text);
}

/* The user's own keys; the usual ones where the file is not as it should be. */
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

static enum status open_screen(struct app *app, const struct app_options *options,
                               struct error *err)
{
    app->driver_options = *options->driver;
    app->tolerance = options->tolerance;
    if (options->driver->problem_path || options->driver->resume)
        return app_open_live(app, options->driver, err);
    if (options->begin == APP_BEGIN_REPLAY)
        return screen_replay_open(app, options->session, 0, err);
    if (options->begin == APP_BEGIN_REVIEW)
        return screen_review_open(app, options->session, options->filter, err);
    screen_start_open(app);
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
    loop_clear_timer(app->loop, &app->patience);
}

static void release(struct app *app)
{
    while (app->screen_count > 0)
        app_pop(app);
    chrome_release(&app->chrome);
    canvas_release(&app->canvas);
    script_release(&app->script);
    free(app->screen_path);
    free(app->edited_path);
    loop_free(app->loop);
}

enum status app_run(const struct app_options *options, struct error *err)
{
    struct app app = {.loop = loop_new()};
    enum status st = STATUS_OK;

    chrome_open(&app.chrome);
    load_theme(&app, options->theme);
    load_keys(&app);
    if (options->keys)
        st = script_read(&app.script, options->keys, err);
    if (!st)
        st = open_screen(&app, options, err);
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
