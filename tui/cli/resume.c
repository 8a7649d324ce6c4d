#include "tui/cli/session_run.h"

static enum exit_code resume(int argc, char **argv)
{
    struct run_options options;
    struct error err;
    enum exit_code code;

    if (run_options_parse(&options, resume_option_sets, argc, argv, &err) ||
        (!options.argument && command_expects(&resume_command, &err))) {
        code = command_fail(&err);
    } else {
        options.driver.resume = options.argument;
        options.driver.changes_gate = options.has_policy;
        code = session_run(&options);
    }
    run_options_release(&options);
    return code;
}

const struct command resume_command = {
    .name = "resume",
    .arguments = "SESSION",
    .options = resume_option_sets,
    .summary = "Continue a session where it stopped.",
    .details = "The agent, the limits, the context and the budgets stay as the session began.  "
               "kforge fork\nmakes a session with other ones, from any step.",
    .exits = "as for kforge run",
    .run = resume,
};
