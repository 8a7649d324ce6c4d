#include "tui/app.h"
#include "tui/cli/headless.h"
#include "tui/cli/summary.h"

/* The engineer has left the screen: say what came of it, in the terminal that stays. */
static void hear_left(void *data, struct driver *driver)
{
    enum exit_code *code = data;
    const struct session *session = driver_session(driver);

    summary_print(driver);
    *code = session->now.stage == STAGE_CLOSED ? summary_code(session) : EXIT_CODE_IMPROVED;
}

static enum exit_code screen_run(const struct run_options *options)
{
    enum exit_code code = EXIT_CODE_IMPROVED;
    const struct app_options app = {.driver = &options->driver,
                                    .theme = options->theme,
                                    .keys = options->keys,
                                    .left = hear_left,
                                    .data = &code};
    struct error err;

    return app_run(&app, &err) ? command_fail(&err) : code;
}

enum exit_code run_session(const struct run_options *options)
{
    return options->on_screen ? screen_run(options) : headless_run(options);
}
