#include "tui/app/app_leaving.h"

#include "core/system/clock.h"
#include "tui/screens/screen_live.h"

/* A second `q` within this time leaves. */
enum { LEAVING_US = 2 * 1000000 };

/* True while a session is open that could still continue. */
static bool is_session_open(const struct app *app)
{
    const struct driver *driver = app->live ? screen_live_driver(app->live) : NULL;

    return driver && !screen_live_failure(app->live)->code &&
           driver_session(driver)->now.stage != STAGE_CLOSED;
}

void app_leaving_quit(struct app *app, const char *argument)
{
    int64_t now = clock_now_us();

    (void)argument;
    if (app->screen_count > 1) {
        app_pop(app);
        return;
    }
    if (now < app->leaving_us || !is_session_open(app)) {
        loop_stop(app->host.loop);
        return;
    }
    app->leaving_us = now + LEAVING_US;
    chrome_say(&app->chrome, ROLE_WARNING,
               driver_can_resume(screen_live_driver(app->live))
                   ? "press q again to leave; the session can be resumed"
                   : "press q again to leave; the session cannot be resumed: its files were "
                     "removed or replaced");
}

/* Escape never leaves the first screen, where it ends the highlighting of a search. */
void app_leaving_back(struct app *app, const char *argument)
{
    (void)argument;
    if (app->chrome.search.len)
        pattern_set(&app->chrome.search, "");
    else if (app->screen_count > 1)
        app_pop(app);
    else
        chrome_say(&app->chrome, ROLE_TEXT, "nothing to close: q leaves");
}
