#include "tui/cli/options.h"

static enum exit_code resume(int argc, char **argv)
{
    struct run_options options;

    enum exit_code code;

    if (!run_options_parse(&options, argc, argv) || !options.argument) {
        code = command_usage(&resume_command);
    } else {
        options.driver.resume = options.argument;
        options.driver.changes_gate = options.has_policy;
        code = run_session(&options);
    }
    run_options_release(&options);
    return code;
}

const struct command resume_command = {
    .name = "resume",
    .synopsis = "SESSION [--policy auto|guided|manual|FILE] [--ask] [--headless] [--json]\n        "
                "   " WORKER_OPTIONS_SYNOPSIS,
    .summary = "Go on with a session where it stopped.",
    .exits = "as of kforge run",
    .run = resume,
};
