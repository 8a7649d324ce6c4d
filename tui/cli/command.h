#ifndef TUI_CLI_COMMAND_H
#define TUI_CLI_COMMAND_H

#include "core/base/json.h"
#include "core/base/status.h"
#include "tui/cli/option_table.h"

/*
 * The subcommands of kforge. Each one is a file with a const struct command, from which --help, the
 * manual page and the completions for shells are written.
 */

/* The exit codes of kforge. */
enum exit_code {
    EXIT_CODE_IMPROVED = 0, /* a session got faster, or the command is done */
    EXIT_CODE_NO_GAIN = 1, /* correct, but no faster than the first correct version, or not kept; or
                              lint found something */
    EXIT_CODE_USAGE = 2,   /* bad input: arguments, files, or no such device */
    EXIT_CODE_INCORRECT = 3, /* no correct candidate */
    EXIT_CODE_BUDGET = 4,    /* a budget is used up */
    /* the worker, the model or the disk is not available; in a session also the device */
    EXIT_CODE_UNAVAILABLE = 5,
    EXIT_CODE_ASKS = 6, /* for a suite: a step waits for the engineer */
    EXIT_CODE_INTERRUPTED = 130,
};

struct command {
    const char *name;
    const char *arguments; /* such as "SESSION [STEP]", or "" */
    const struct option_set *options;
    const char *summary; /* sentences in lines; kforge --help shows the first clause */
    const char *details; /* more lines, or NULL */
    const char *exits;   /* the exit codes and their meaning */
    enum exit_code (*run)(int argc, char **argv); /* argv[0] is the command's name */
};

/* Ended by NULL. */
extern const struct command *const command_list[];

extern const struct command run_command, resume_command, eval_command, lint_command;
extern const struct command devices_command, sessions_command, show_command, replay_command;
extern const struct command review_command, fork_command, export_command, suite_command;
extern const struct command picture_command;

/* Append "kforge NAME ARGUMENTS [OPTIONS]", in several lines if necessary. */
void command_add_synopsis(const struct command *command, struct strbuf *out);

/*
 * Like printf(), on standard output. Escape sequences are made visible, so that the terminal does
 * not act on them: titles, names and logs come from models and other people.
 */
void command_print(const char *fmt, ...) PRINTF_LIKE(1, 2);

/* Print a JSON value in one line, and flush the output, because the reader may wait for it. */
void command_print_json(const struct json *value);

/* Print "kforge: TEXT" on standard error; return the exit code of the failure. */
enum exit_code command_fail(const struct error *err);

/*
 * Print "kforge: LINE" on standard error, with escape sequences made visible. A notice is not a
 * failure. `data` is unused, so that an evaluator's listener can point to this function.
 */
void command_notice(void *data, const char *line);

/* Store the command's options in `target`, as option_parse() does. */
enum status command_parse(const struct command *command, void *target, struct arguments *arguments,
                          struct error *err) MUST_CHECK;

/* STATUS_INVALID, with a text that says which arguments `command` expects. */
enum status command_expects(const struct command *command, struct error *err);

#endif
