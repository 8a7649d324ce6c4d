#include "tui/cli/session_run.h"

#include "tui/cli/headless.h"
#include "tui/cli/workbench.h"

enum exit_code session_run(const struct run_options *options)
{
    const struct app_options app = {.driver = &options->driver,
                                    .theme = options->screen.theme,
                                    .tolerance = options->tolerance,
                                    .keys = options->screen.keys};

    return options->on_screen ? workbench_run(&app) : headless_run(options);
}
