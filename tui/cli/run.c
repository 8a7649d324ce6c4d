#include <stdlib.h>

#include "core/base/file.h"
#include "tui/cli/options.h"

static enum exit_code run(int argc, char **argv)
{
    char *shipped = file_shipped("prompts/problems/linear_gelu.json");
    struct run_options options;
    enum exit_code code = EXIT_CODE_USAGE;

    if (!run_options_parse(&options, argc, argv)) {
        command_usage(&run_command);
    } else {
        options.driver.problem_path = options.argument ? options.argument : shipped;
        code = run_session(&options);
    }
    free(shipped);
    return code;
}

const struct command run_command = {
    .name = "run",
    .synopsis = "[PROBLEM.json] " RUN_OPTIONS_SYNOPSIS,
    .summary =
        "Let the agents write a kernel and speed it up; linear_gelu where no problem is named.",
    .run = run,
};
