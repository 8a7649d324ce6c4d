#ifndef TUI_CLI_WORKER_OPTIONS_H
#define TUI_CLI_WORKER_OPTIONS_H

#include "tui/cli/option_table.h"

/*
 * The options of every command that starts a worker: the device, the host of
 * the worker, and limits of time.  The rows fill a struct evaluator_options.
 */
extern const struct option_row worker_options[];

#endif
