#include "tui/cli/workbench.h"

#include "tui/cli/session_summary.h"

static void hear_left(void *data, struct driver *driver)
{
    enum exit_code *code = data;

    session_summary_print(driver);
    *code = session_exit_code(driver_session(driver));
}

enum exit_code workbench_run(const struct app_options *options)
{
    enum exit_code code = EXIT_CODE_IMPROVED;
    struct app_options app = *options;
    struct error err;

    app.left = hear_left;
    app.data = &code;
    return app_run(&app, &err) ? command_fail(&err) : code;
}
