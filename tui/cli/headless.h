#ifndef TUI_CLI_HEADLESS_H
#define TUI_CLI_HEADLESS_H

#include "tui/cli/command.h"
#include "tui/cli/run_options.h"

/*
 * Run a session without a screen.  Standard output gets a line for each event,
 * and at the end a summary with the branch of the best kernel.  With --ask,
 * decisions are read from standard input, a line each.
 */
enum exit_code headless_run(const struct run_options *options);

#endif
