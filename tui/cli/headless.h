#ifndef TUI_CLI_HEADLESS_H
#define TUI_CLI_HEADLESS_H

#include "tui/cli/command.h"
#include "tui/cli/run_options.h"

/*
 * A session without a screen: a line for everything that happens, on
 * standard output, and the branch that holds the best kernel at the end.
 * With --ask, decisions are read from standard input, a line each.
 */
enum exit_code headless_run(const struct run_options *options);

#endif
