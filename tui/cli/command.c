#include "tui/cli/command.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/base/utf8.h"

const struct command *const command_list[] = {
    &run_command,     &resume_command,
    &suite_command,   &sessions_command,
    &show_command,    &replay_command,
    &review_command,  &fork_command,
    &export_command,  &eval_command,
    &lint_command,    &devices_command,
    &picture_command, NULL,
};

void command_print(const char *fmt, ...)
{
    struct strbuf text = {0}, visible = {0};
    va_list args;

    va_start(args, fmt);
    strbuf_vaddf(&text, fmt, args);
    va_end(args);
    utf8_add_visible(&visible, strbuf_cstr(&text), text.len);
    fputs(strbuf_cstr(&visible), stdout);
    strbuf_release(&text);
    strbuf_release(&visible);
}

void command_print_json(const struct json *value)
{
    struct strbuf line = {0};

    json_print(value, &line);
    puts(strbuf_cstr(&line));
    fflush(stdout);
    strbuf_release(&line);
}

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

enum status command_parse(const struct command *command, void *target, struct arguments *arguments,
                          struct error *err)
{
    return option_parse(command->options, target, arguments, err);
}

void command_add_synopsis(const struct command *command, struct strbuf *out)
{
    size_t start = out->len;

    strbuf_addf(out, "kforge %s ", command->name);
    if (*command->arguments)
        strbuf_addf(out, "%s ", command->arguments);
    option_add_synopsis(command->options, out->len - start + strlen("usage: "), out);
}

enum status command_expects(const struct command *command, struct error *err)
{
    return error_set(err, STATUS_INVALID, "%s: expected %s: see kforge %s --help", command->name,
                     *command->arguments ? command->arguments : "options only", command->name);
}
