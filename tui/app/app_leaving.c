#include "tui/app/app_leaving.h"

#include "core/system/clock.h"
#include "tui/screens/screen_live.h"

/* A second key within this time leaves an open session. */
enum { LEAVING_US = 2 * 1000000 };

/* True while a session is open that could still continue. */
static bool is_session_open(const struct app *app)
{
    const struct driver *driver = app->live ? screen_live_driver(app->live) : NULL;

    return driver && !screen_live_failure(app->live)->code &&
           driver_session(driver)->now.stage != STAGE_CLOSED;
}

/* Say what happens to a session that is left open. */
static const char *fate_of_session(const struct app *app)
{
    return driver_can_resume(screen_live_driver(app->live))
               ? "can be resumed"
               : "cannot be resumed: its files were removed or replaced";
}

/*
 * True if the uppermost screen may be closed. For an open session, the first key only shows a
 * question, and the second closes it.
 */
static bool is_confirmed(struct app *app, const char *key)
{
    int64_t now = clock_now_us();

    if (app_top(app) != app->live || !is_session_open(app) || now < app->leaving_us)
        return true;
    app->leaving_us = now + LEAVING_US;
    chrome_say(&app->chrome, ROLE_WARNING, "press %s again to %s; the session %s", key,
               app->screen_count > 1 ? "go back" : "leave", fate_of_session(app));
    return false;
}

/*
 * Return to the screen below. For a session that is left open, a message says how to continue it.
 */
static void go_back(struct app *app)
{
    bool is_session = app_top(app) == app->live && is_session_open(app);
    const struct driver *driver = is_session ? screen_live_driver(app->live) : NULL;
    char key[KEYMAP_KEY_SIZE];

    if (driver && driver_can_resume(driver))
        chrome_say(&app->chrome, ROLE_TEXT, "saved; to continue: %s in a list, or kforge resume %s",
                   keymap_key_of(&app->chrome.keymap, COMMAND_OPEN_SESSION, key),
                   driver_session(driver)->id);
    app->leaving_us = 0;
    app_pop(app);
}

void app_leaving_quit(struct app *app, const char *argument)
{
    char key[KEYMAP_KEY_SIZE];

    (void)argument;
    if (!is_confirmed(app, keymap_key_of(&app->chrome.keymap, COMMAND_QUIT, key)))
        return;
    if (app->screen_count > 1)
        go_back(app);
    else
        loop_stop(app->host.loop);
}

/* End the search, else the filter; false if there is neither. */
static bool end_search(struct app *app)
{
    struct screen *top = app_top(app);
    struct panel_body body = top->ops->body(top);
    struct pattern *filter = panel_body_filter(&body);
    struct pattern *open = app->chrome.search.len ? &app->chrome.search : filter;

    if (!open || !open->len)
        return false;
    pattern_set(open, "");
    return true;
}

void app_leaving_back(struct app *app, const char *argument)
{
    char key[KEYMAP_KEY_SIZE];

    (void)argument;
    if (end_search(app))
        return;
    if (app->screen_count == 1)
        chrome_say(&app->chrome, ROLE_TEXT, "nothing to go back to: %s leaves",
                   keymap_key_of(&app->chrome.keymap, COMMAND_QUIT, key));
    else if (is_confirmed(app, keymap_key_of(&app->chrome.keymap, COMMAND_BACK, key)))
        go_back(app);
}

bool app_leaving_interrupt(struct app *app)
{
    int64_t now = clock_now_us();
    bool has_session = is_session_open(app);
    char key[KEYMAP_KEY_SIZE];

    app->interrupts = now < app->interrupt_us ? app->interrupts + 1 : 1;
    app->interrupt_us = now + LEAVING_US;
    if (app->interrupts == 1)
        return false;
    if (app->interrupts > 2)
        loop_stop(app->host.loop);
    else
        chrome_say(&app->chrome, ROLE_WARNING, "press %s again to leave kforge%s%s",
                   keymap_key_of(&app->chrome.keymap, COMMAND_INTERRUPT, key),
                   has_session ? "; the session " : "", has_session ? fate_of_session(app) : "");
    return true;
}
