#ifndef TUI_CLI_COMMAND_H
#define TUI_CLI_COMMAND_H

#include <getopt.h>

#include "core/base/status.h"

/*
 * The command line: one file and one table entry for each subcommand.
 */

/* How kforge ends. */
enum exit_code {
    EXIT_CODE_IMPROVED = 0, /* or simply done */
    EXIT_CODE_NO_GAIN = 1, /* correct, and no faster than the first correct version, or not kept; or
                            a task that lint has findings for */
    EXIT_CODE_USAGE = 2,   /* what was given: arguments, files, a device that there is not */
    EXIT_CODE_INCORRECT = 3, /* no correct candidate */
    EXIT_CODE_BUDGET = 4,
    EXIT_CODE_UNAVAILABLE = 5, /* worker, model or disk; of a session its device as well */
    EXIT_CODE_INTERRUPTED = 130,
};

struct command {
    const char *name;
    const char *synopsis; /* what follows the name */
    const char *summary;
    const char *details; /* what its options mean, in lines; NULL: its synopsis says it */
    const char *exits;   /* how it ends, and with which code */
    enum exit_code (*run)(int argc, char **argv); /* argv[0] is the command's name */
};

/* Ended by a row without a name. */
extern const struct command *const command_list[];

extern const struct command run_command, resume_command, eval_command, lint_command;
extern const struct command devices_command, sessions_command, show_command, replay_command;
extern const struct command review_command, fork_command, export_command;

/*
 * As printf(), on standard output, with nothing in it that a terminal would act on: titles, names
 * and logs are what models and strangers wrote.
 */
void command_print(const char *fmt, ...) PRINTF_LIKE(1, 2);

/* Print "kforge: <text>", and return the code that belongs to the failure. */
enum exit_code command_fail(const struct error *err);

/*
 * Print "kforge: <line>", with nothing in it that a terminal would act on.  It is no failure: what
 * an evaluator's listener is to know of its worker.
 */
void command_notice(void *data, const char *line);

/*
 * The next of `options`, as getopt_long() has it: its id, and -1 after the last.  '?' for what is
 * none of them or lacks its value, which `err` says then.
 */
int command_option(int argc, char **argv, const struct option *options, struct error *err);

/* STATUS_INVALID: which arguments `command` expects before its options. */
enum status command_expects(const struct command *command, struct error *err);

#endif
