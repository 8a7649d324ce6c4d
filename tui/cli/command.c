#include "tui/cli/command.h"

#include <stdio.h>

const struct command *const command_list[] = {
    &run_command,    &resume_command, &sessions_command, &show_command,
    &replay_command, &review_command, &fork_command,     &export_command,
    &eval_command,   &lint_command,   &devices_command,  NULL,
};

enum exit_code command_fail(const struct error *err)
{
    fprintf(stderr, "kforge: %s\n", err->text);
    if (err->code == STATUS_CANCELLED)
        return EXIT_CODE_INTERRUPTED;
    return err->code == STATUS_INVALID || err->code == STATUS_NOT_FOUND ? EXIT_CODE_USAGE
                                                                        : EXIT_CODE_UNAVAILABLE;
}

void command_notice(void *data, const char *line)
{
    (void)data;
    fprintf(stderr, "kforge: %s\n", line);
}

enum exit_code command_usage(const struct command *command)
{
    fprintf(stderr, "usage: kforge %s %s\n", command->name, command->synopsis);
    return EXIT_CODE_USAGE;
}
