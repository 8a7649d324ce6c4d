#ifndef TUI_CLI_RUN_OPTIONS_H
#define TUI_CLI_RUN_OPTIONS_H

#include <stdbool.h>

#include "core/session/driver/driver.h"
#include "tui/cli/command.h"
#include "tui/cli/problem_file.h"
#include "tui/cli/worker_options.h"

/* The options of `run`, some of which `resume` and `fork` take as well. */
struct run_options {
    struct driver_options driver; /* texts are borrowed from argv */
    struct rules rules;           /* of the policy, if it is a file */
    bool headless;                /* no screen, even on a terminal */
    bool as_json;                 /* the journal's events as lines, instead of text */
    bool ask;                     /* decisions come from lines on standard input */
    bool has_policy;              /* it was given; else it follows from who is there to decide */
    bool on_screen;               /* there is a terminal, and nothing else was asked for */
    const char *keys;             /* a key script for the screen; NULL: none */
    const char *tolerance;        /* of a PyTorch file; NULL: f32 */
    const char *theme;            /* of the screen; NULL: dark */
    const char *argument;         /* the problem, or the session; NULL if none was given */
    const char *second;           /* what stands after it; NULL if nothing does */
};

/* Part of a synopsis that says them all. */
#define RUN_OPTIONS_SYNOPSIS                                                                     \
    "[--agent builtin|openai:MODEL|anthropic:MODEL|command:COMMAND|manual[:FOLDER]|\n"           \
    "           recorded:FOLDER]\n"                                                              \
    "           [--policy auto|guided|manual|FILE] [--ask] [--headless] [--json] [--repo DIR]\n" \
    "           [--functional N] [--optimize N] [--attempts N] [--flat N] [--theme NAME]\n"      \
    "           [--keys FILE] [--reference FILE] [--context N] " TOLERANCE_SYNOPSIS "\n"         \
    "           [--budget-usd X] [--budget-tokens N] [--budget-minutes X]\n"                     \
    "           " WORKER_OPTIONS_SYNOPSIS

/* Free what reading them took; also after a failure. */
void run_options_release(struct run_options *options);

/* Those that each command takes, for the two that follow. */
extern const struct option run_option_rows[], resume_option_rows[], fork_option_rows[];

/* Read argv. */
enum status run_options_parse(struct run_options *options, const struct option *rows, int argc,
                              char **argv, struct error *err) MUST_CHECK;

/* The same over what `options` hold already, and with a second argument. */
enum status run_options_take(struct run_options *options, const struct option *rows, int argc,
                             char **argv, struct error *err) MUST_CHECK;

/* A number of things, from 0, that errors call `what`. */
enum status options_parse_count(const char *text, const char *what, unsigned *count,
                                struct error *err) MUST_CHECK;

/* Open the session: on the screen, or as lines where there is no terminal. */
enum exit_code run_session(const struct run_options *options);

#endif
