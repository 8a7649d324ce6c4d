#include "tui/cli/run_options.h"

static enum exit_code resume(int argc, char **argv)
{
    struct run_options options;
    struct error err;
    enum exit_code code;

    if (run_options_parse(&options, resume_option_rows, argc, argv, &err) ||
        (!options.argument && command_expects(&resume_command, &err))) {
        code = command_fail(&err);
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
    .synopsis = "SESSION [--policy auto|guided|manual|FILE] [--ask] [--headless] [--json]\n"
                "           [--theme NAME] [--keys FILE]\n           " WORKER_OPTIONS_SYNOPSIS,
    .summary = "Go on with a session where it stopped.",
    .details = "Agent, limits, context and budgets are what the session began with: kforge fork "
               "begins\nanother one with other ones, at any of its steps.",
    .exits = "as of kforge run",
    .run = resume,
};
