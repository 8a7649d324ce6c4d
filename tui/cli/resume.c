#include "tui/cli/options.h"

static enum exit_code resume(int argc, char **argv)
{
    struct run_options options;

    if (!run_options_parse(&options, argc, argv) || !options.argument)
        return command_usage(&resume_command);
    options.driver.resume = options.argument;
    return run_session(&options);
}

const struct command resume_command = {
    .name = "resume",
    .synopsis = "SESSION [--ask] [--headless] [--json]\n           " WORKER_OPTIONS_SYNOPSIS,
    .summary = "Go on with a session where it stopped.",
    .exits = "as of kforge run",
    .run = resume,
};
