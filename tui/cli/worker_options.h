#ifndef TUI_CLI_WORKER_OPTIONS_H
#define TUI_CLI_WORKER_OPTIONS_H

#include <getopt.h>

#include "core/session/worker/evaluator.h"

/* The options of every command that starts a judge: which device, where, and how long it may take.
 */

/* Beyond the ids that commands give their own options. */
enum {
    OPTION_DEVICE = 256,
    OPTION_WORKER,
    OPTION_BUILD_LIMIT,
    OPTION_RUN_LIMIT,
    OPTION_TUNE_LIMIT,
    OPTION_TUNE_CHOICES,
};

/* Rows of a table for getopt_long(). */
#define WORKER_OPTIONS                                                \
    {"device", required_argument, NULL, OPTION_DEVICE},               \
        {"worker", required_argument, NULL, OPTION_WORKER},           \
        {"build-limit", required_argument, NULL, OPTION_BUILD_LIMIT}, \
        {"run-limit", required_argument, NULL, OPTION_RUN_LIMIT},     \
        {"tune-limit", required_argument, NULL, OPTION_TUNE_LIMIT},   \
    {                                                                 \
        "tune-choices", required_argument, NULL, OPTION_TUNE_CHOICES  \
    }

/* Parts of a synopsis. */
#define WORKER_OPTIONS_SYNOPSIS                                                        \
    "[--device ID] [--worker COMMAND] [--build-limit SECONDS] [--run-limit SECONDS]\n" \
    "           [--tune-limit SECONDS] [--tune-choices N]"

/*
 * Take the option `id`, whose text stays borrowed.  STATUS_INVALID where it is not as it should be,
 * or none of these: `err` is as it was then, since command_option() has said it.
 */
enum status worker_options_take(struct evaluator_options *options, int id, const char *text,
                                struct error *err) MUST_CHECK;

#endif
