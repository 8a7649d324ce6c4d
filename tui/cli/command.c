#include "tui/cli/command.h"

#include <stdio.h>
#include <string.h>

#include "core/base/utf8.h"

const struct command *const command_list[] = {
    &run_command,    &resume_command, &sessions_command, &show_command,
    &replay_command, &review_command, &fork_command,     &export_command,
    &eval_command,   &lint_command,   &devices_command,  NULL,
};

void command_notice(void *data, const char *line)
{
    struct strbuf visible = {0};

    (void)data;
    utf8_add_visible(&visible, line, strlen(line));
    fprintf(stderr, "kforge: %s\n", strbuf_cstr(&visible));
    strbuf_release(&visible);
}

enum exit_code command_fail(const struct error *err)
{
    command_notice(NULL, err->text);
    if (err->code == STATUS_CANCELLED)
        return EXIT_CODE_INTERRUPTED;
    return err->code == STATUS_INVALID || err->code == STATUS_NOT_FOUND ? EXIT_CODE_USAGE
                                                                        : EXIT_CODE_UNAVAILABLE;
}

enum exit_code command_usage(const struct command *command)
{
    fprintf(stderr, "usage: kforge %s %s\n", command->name, command->synopsis);
    return EXIT_CODE_USAGE;
}
