#include "tui/cli/session_run.h"

#include "tui/cli/headless.h"
#include "tui/cli/session_summary.h"

static void hear_left(void *data, struct driver *driver)
{
    enum exit_code *code = data;

    session_summary_print(driver);
    *code = session_exit_code(driver_session(driver));
}

enum exit_code session_run_workbench(const struct app_options *options)
{
    enum exit_code code = EXIT_CODE_IMPROVED;
    struct app_options app = *options;
    struct error err;

    app.left = hear_left;
    app.data = &code;
    return app_run(&app, &err) ? command_fail(&err) : code;
}

enum exit_code session_run(const struct run_options *options)
{
    const struct app_options app = {.driver = &options->driver,
                                    .theme = options->screen.theme,
                                    .tolerance = options->tolerance,
                                    .keys = options->screen.keys};

    return options->on_screen ? session_run_workbench(&app) : headless_run(options);
}
