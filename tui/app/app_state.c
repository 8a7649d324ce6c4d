#include "tui/app/app_state.h"

#include <stdlib.h>
#include <string.h>

#include "core/system/clock.h"
#include "tui/screens/screen_live.h"
#include "tui/term/screenshot.h"

/* The least time between frames that are not the response to a key. */
enum { FRAME_US = 1000000 / 30 };

static void draw_timed(void *data)
{
    app_draw(data);
}

void app_draw_later(struct app *app, int64_t delay_us)
{
    int64_t due_us = clock_now_us() + delay_us;

    if (app->frame.is_set && app->frame.due_us <= due_us)
        return;
    loop_set_timer(app->host.loop, &app->frame, delay_us, draw_timed, app);
}

/* A key script reads every frame, so frames are not delayed for it. */
void app_changed(struct app *app)
{
    int64_t wait_us = app->drawn_us + FRAME_US - clock_now_us();
    bool is_delayed = wait_us > 0 && !script_player_is_playing(&app->player);

    if (app->is_running)
        app_draw_later(app, is_delayed ? wait_us : 0);
}

void app_answered(struct app *app)
{
    if (app->is_running)
        app_draw_later(app, 0);
}

/* The size that a key script sets, else the terminal's, else 80x24. */
static struct rect screen_size(const struct app *app)
{
    if (app->size.w)
        return app->size;
    return app->term ? term_size(app->term) : (struct rect){.w = 80, .h = 24};
}

/* Save the frame for the command `screen`. Without the file a key script has failed; an engineer
 * only reads why. */
static void save_screen(struct app *app)
{
    struct error err = {0};
    char *path = app->screen_path;

    if (!path)
        return;
    app->screen_path = NULL;
    if (screenshot_write(path, &app->canvas, &app->theme, &err)) {
        if (script_player_is_playing(&app->player))
            app_fail(app, &err);
        else
            chrome_say_error(&app->chrome, &err);
    } else if (!script_player_is_playing(&app->player)) {
        chrome_say(&app->chrome, ROLE_GOOD, "the screen is in %s", path);
    }
    app_changed(app);
    free(path);
}

void app_draw(struct app *app)
{
    struct screen *top = app_top(app);
    struct rect size = screen_size(app), message;

    canvas_reset(&app->canvas, size.w, size.h);
    app->chrome.goes_back = app->screen_count > 1;
    message = top->ops->draw(top, &app->canvas);
    app->chrome.contexts = CONTEXT_ALWAYS | top->ops->contexts(top);
    if (message.w)
        chrome_draw(&app->chrome, &app->canvas, message);
    if (app->term)
        term_show(app->term, &app->canvas, &app->theme);
    app->drawn_us = clock_now_us();
    if (top->ops->shown)
        top->ops->shown(top, app->drawn_us);
    save_screen(app);
    script_player_step(&app->player, &app->canvas);
}

void app_fail(struct app *app, const struct error *err)
{
    app->failure = *err;
    loop_stop(app->host.loop);
}

struct screen *app_top(const struct app *app)
{
    return app->screens[app->screen_count - 1];
}

/* Close a screen. The prompt may belong to it, so the prompt is closed first. */
static void close_screen(struct app *app, struct screen *screen)
{
    const struct screen_prompt *prompt = app->prompt;

    if (prompt) {
        app_close_prompt(app);
        if (prompt->left)
            prompt->left(app->prompt_data);
    }
    if (app->live && app->live == screen) {
        if (app->left)
            app->left(app->left_data, screen_live_driver(screen));
        app->live = NULL;
    }
    screen->ops->close(screen);
}

/* Close a screen, after those above that borrow from it. */
static void remove_at(struct app *app, size_t index)
{
    size_t end = index + 1;

    while (end < app->screen_count && app->screens[end]->ops->borrows)
        end++;
    for (size_t i = end; i-- > index;)
        close_screen(app, app->screens[i]);
    memmove(&app->screens[index], &app->screens[end],
            (app->screen_count - end) * sizeof(app->screens[0]));
    app->screen_count -= end - index;
}

void app_remove(struct app *app, const struct screen *screen)
{
    size_t index = 0;

    while (app->screens[index] != screen)
        index++;
    remove_at(app, index);
}

void app_pop(struct app *app)
{
    struct screen *top;

    remove_at(app, app->screen_count - 1);
    top = app_top(app);
    if (top->ops->returned)
        top->ops->returned(top);
}

void app_push(struct app *app, struct screen *screen)
{
    if (app->screen_count == APP_SCREENS)
        remove_at(app, app->screens[1] == app->live ? 2 : 1);
    app->screens[app->screen_count++] = screen;
    pattern_set(&app->chrome.search, "");
    app_changed(app);
}

void app_ask(struct app *app, const struct screen_prompt *prompt, void *data, const char *label,
             const char *text)
{
    app->prompt = prompt;
    app->prompt_data = data;
    app->kept_theme = app->theme;
    chrome_ask(&app->chrome, &prompt->line, "%s", label);
    prompt_line_insert(app->chrome.prompt, text, strlen(text));
}

void app_close_prompt(struct app *app)
{
    app->prompt = NULL;
    chrome_close_prompt(&app->chrome);
}
