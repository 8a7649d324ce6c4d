#include "tui/app_state.h"
#include "tui/bar.h"

/* The first screen: until a session is opened, there is no driver. */

static void hear_changed(void *data)
{
    app_changed(data);
}

void app_open_start(struct app *app, const struct driver_options *options)
{
    app->start = start_new(app->loop, options, hear_changed, app);
}

void app_draw_start(struct app *app)
{
    struct canvas *canvas = &app->canvas;

    start_draw(app->start, &app->view.search, canvas);
    bar_draw_keys("Enter start  Tab other list  / search  \\ filter  ? help  q leave",
                  canvas_area(canvas, (struct rect){0, canvas->h - 1, canvas->w, 1}));
    view_draw_over(&app->view, canvas, (struct rect){0, canvas->h - 2, canvas->w, 1});
}

/* What cannot be started leaves the first screen as it is. */
static void begin(struct app *app)
{
    const struct driver_options options = start_options(app->start);
    struct error err = {0};

    if (app_open_driver(app, &options, &err)) {
        view_say(&app->view, ROLE_BAD, "%s", err.text);
        return;
    }
    start_free(app->start);
    app->start = NULL;
    driver_run(app->driver);
}

bool app_call_start(struct app *app, const struct call *call)
{
    enum screen_command command = call->row->command;
    struct panel_body body = start_body(app->start);

    if (app->view.is_helping || command == COMMAND_HELP)
        return view_command(&app->view, &app->scene, call);
    if (command == COMMAND_START)
        begin(app);
    else if (command == COMMAND_SEARCH_NEXT)
        view_find(&app->view, &body, 1);
    else if (command == COMMAND_SEARCH_PREVIOUS)
        view_find(&app->view, &body, -1);
    else
        return start_command(app->start, call);
    return true;
}
